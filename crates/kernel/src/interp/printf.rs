//! `printf` on the device: formats the packed arguments of a `vprintf` call as text.
//!
//! The arguments follow each other in a buffer, each aligned to its size: 4 bytes for 32-bit integers, 8 bytes for 64-bit
//! integers, pointers and doubles.

/// Reads the arguments of one call, in order.
pub trait PrintfArguments {
    /// Returns the next argument of 4 or 8 bytes.
    fn next(&mut self, size: u32) -> u64;
    /// Returns the zero-terminated text at an address.
    fn text(&mut self, address: u64) -> Vec<u8>;
}

#[derive(Clone, Copy, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// `l`, `ll`, `z`, `j`, `t`, `q`: 64 bits.
    long: bool,
    /// Number of `h` modifiers: `h` is 16 bits, `hh` 8.
    shorts: u32,
}

/// Returns the formatted text and the number of arguments that it used.
pub fn format(format: &[u8], arguments: &mut dyn PrintfArguments) -> (Vec<u8>, u32) {
    let (mut out, mut count, mut at) = (Vec::new(), 0, 0);
    while at < format.len() {
        if format[at] != b'%' {
            out.push(format[at]);
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let mut spec = Spec::default();
        while let Some(flag) = format.get(at) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            at += 1;
        }
        let mut number = |at: &mut usize, count: &mut u32| {
            if format.get(*at) == Some(&b'*') {
                *at += 1;
                *count += 1;
                return arguments.next(4) as i32 as i64;
            }
            let mut value = 0i64;
            while let Some(digit) = format.get(*at).filter(|c| c.is_ascii_digit()) {
                value = (value * 10 + i64::from(digit - b'0')).min(4096);
                *at += 1;
            }
            value
        };
        let width = number(&mut at, &mut count);
        spec.left |= width < 0;
        spec.width = width.unsigned_abs().min(4096) as usize;
        if format.get(at) == Some(&b'.') {
            at += 1;
            spec.precision = usize::try_from(number(&mut at, &mut count)).ok().map(|p| p.min(4096));
        }
        while let Some(length) = format.get(at) {
            match length {
                b'l' | b'z' | b'j' | b't' | b'q' => spec.long = true,
                b'h' => spec.shorts += 1,
                _ => break,
            }
            at += 1;
        }
        let Some(&conversion) = format.get(at) else {
            out.extend_from_slice(&format[start..]);
            break;
        };
        at += 1;
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        match convert(conversion, &spec, arguments) {
            Some(text) => {
                out.extend(text);
                count += 1;
            }
            None => out.extend_from_slice(&format[start..at]),
        }
    }
    (out, count)
}

fn convert(conversion: u8, spec: &Spec, arguments: &mut dyn PrintfArguments) -> Option<Vec<u8>> {
    Some(match conversion {
        b'd' | b'i' => {
            let value = if spec.long { arguments.next(8) as i64 } else { arguments.next(4) as i32 as i64 };
            let value = match spec.shorts {
                0 => value,
                1 => value as i16 as i64,
                _ => value as i8 as i64,
            };
            integer(spec, value < 0, value.unsigned_abs().to_string(), "")
        }
        b'u' | b'x' | b'X' | b'o' => {
            let value = if spec.long { arguments.next(8) } else { arguments.next(4) & 0xffff_ffff };
            let value = match spec.shorts {
                0 => value,
                1 => value & 0xffff,
                _ => value & 0xff,
            };
            let (digits, prefix) = match conversion {
                b'x' => (format!("{value:x}"), "0x"),
                b'X' => (format!("{value:X}"), "0X"),
                b'o' => (format!("{value:o}"), "0"),
                _ => (value.to_string(), ""),
            };
            let unsigned = Spec { plus: false, space: false, ..*spec };
            integer(&unsigned, false, digits, if spec.alternate && value != 0 { prefix } else { "" })
        }
        b'c' => pad(spec, vec![arguments.next(4) as u8]),
        b's' => {
            let address = arguments.next(8);
            let mut text = arguments.text(address);
            text.truncate(spec.precision.unwrap_or(usize::MAX));
            pad(spec, text)
        }
        b'p' => pad(spec, format!("{:#x}", arguments.next(8)).into_bytes()),
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(arguments.next(8));
            let mut text = float(conversion.to_ascii_lowercase(), spec, value.abs());
            if conversion.is_ascii_uppercase() {
                text = text.to_ascii_uppercase();
            }
            let sign = sign(spec, value.is_sign_negative());
            let zeros = spec.zero && !spec.left && value.is_finite();
            let missing = spec.width.saturating_sub(sign.len() + text.len());
            let body = if zeros { format!("{sign}{}{text}", "0".repeat(missing)) } else { format!("{sign}{text}") };
            pad(spec, body.into_bytes())
        }
        _ => return None,
    })
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(spec: &Spec, negative: bool, mut digits: String, prefix: &str) -> Vec<u8> {
    if let Some(precision) = spec.precision {
        digits = if precision == 0 && digits == "0" { String::new() } else { digits };
        digits = format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len())));
    }
    let sign = sign(spec, negative);
    if spec.zero && !spec.left && spec.precision.is_none() {
        let missing = spec.width.saturating_sub(sign.len() + prefix.len() + digits.len());
        digits = format!("{}{digits}", "0".repeat(missing));
    }
    pad(spec, format!("{sign}{prefix}{digits}").into_bytes())
}

fn pad(spec: &Spec, text: Vec<u8>) -> Vec<u8> {
    let fill = vec![b' '; spec.width.saturating_sub(text.len())];
    if spec.left { [text, fill].concat() } else { [fill, text].concat() }
}

/// Formats a magnitude in the notation of a conversion.
fn float(conversion: u8, spec: &Spec, value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan".into() } else { "inf".into() };
    }
    let precision = spec.precision.unwrap_or(6);
    match conversion {
        b'f' => format!("{value:.precision$}"),
        b'e' => exponent(value, precision),
        b'a' => hexadecimal(value),
        _ => {
            let precision = precision.max(1);
            let scientific = exponent(value, precision - 1);
            let power: i32 = scientific.split_once('e').and_then(|(_, p)| p.parse().ok()).unwrap_or(0);
            let fixed = (-4..precision as i32).contains(&power);
            let text = if fixed { format!("{value:.*}", (precision as i32 - 1 - power).max(0) as usize) } else { scientific };
            if spec.alternate { text } else { strip_zeros(&text) }
        }
    }
}

/// Formats as `1.5e+03`: an exponent with a sign and at least two digits.
fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((mantissa, power)) = text.split_once('e') else { return text };
    let power: i32 = power.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

fn strip_zeros(text: &str) -> String {
    let (mantissa, power) = text.split_once('e').map_or((text, None), |(m, p)| (m, Some(p)));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    power.map_or(mantissa.to_string(), |p| format!("{mantissa}e{p}"))
}

/// Formats as `0x1.8p+1`.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (power, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (lead, power) = match (power, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, power - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct List(Vec<u64>);

    impl PrintfArguments for List {
        fn next(&mut self, _: u32) -> u64 {
            self.0.remove(0)
        }

        fn text(&mut self, _: u64) -> Vec<u8> {
            b"text".to_vec()
        }
    }

    fn check(spec: &str, values: &[u64], expected: &str) {
        let (text, _) = format(spec.as_bytes(), &mut List(values.to_vec()));
        assert_eq!(String::from_utf8_lossy(&text), expected, "{spec}");
    }

    #[test]
    fn conversions_read_as_in_c() {
        let f = |x: f64| x.to_bits();
        check("%d|%5d|%-5d|%05d|%+d", &[u64::MAX, 42, 42, 42, 7], "-1|   42|42   |00042|+7");
        check("%u %x %#X %o %lld %hhu", &[1 << 40 | 7, 255, 255, 8, u64::MAX, 0x1ff], "7 ff 0XFF 10 -1 255");
        check("%.3d|%.0d|%c|%s|%.2s|%p", &[5, 0, 65, 0, 0, 16], "005||A|text|te|0x10");
        check(
            "%f %.2f %8.3f %e %E",
            &[f(1.5), f(-2.25), f(3.0), f(1500.0), f(0.0)],
            "1.500000 -2.25    3.000 1.500000e+03 0.000000E+00",
        );
        check("%g %g %g %g", &[f(0.0001), f(1e-5), f(123456.0), f(1e6)], "0.0001 1e-05 123456 1e+06");
        check("%a %f %F %08.2f", &[f(3.0), f(f64::INFINITY), f(f64::NAN), f(-1.5)], "0x1.8p+1 inf NAN -0001.50");
        check("100%% %*d %y", &[4, 7], "100%    7 %y");
    }

    #[test]
    fn endings_in_the_middle_do_not_panic() {
        for spec in ["%", "%-", "%5", "%.", "%l", "%99999999999d"] {
            format(spec.as_bytes(), &mut List(vec![0; 4]));
        }
    }
}
