//! Comparison of a launch with the parameters that a kernel declares.

use super::{Launch, LaunchError, Param};
use crate::ptx::types::Type;

/// Size of a device address as a kernel parameter.
const ADDRESS_BYTES: u32 = 8;

/// One parameter as the kernel declares it. A struct is an array of bytes: `ty` is `b8`, `bytes` is its whole size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamShape {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) bytes: u32,
    pub(crate) align: u32,
}

impl Launch {
    /// Compares the launch with the kernel's declaration, parameter by parameter.
    pub fn check(&self, kernel: &str, shapes: &[ParamShape]) -> Result<(), LaunchError> {
        let wrong = |message: String| Err(LaunchError::Kernel(message));
        if let Some(wanted) = &self.kernel
            && wanted != kernel
        {
            return wrong(format!("the launch is for kernel `{wanted}`, not for `{kernel}`"));
        }
        if shapes.len() != self.params.len() {
            let names: Vec<String> = shapes.iter().map(|shape| format!("`{}`", shape.name)).collect();
            let list = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            return wrong(format!(
                "kernel `{kernel}` declares {}{list}, the launch gives {}: it needs one [[param]] for each, in that order",
                parameters(shapes.len()),
                self.params.len(),
            ));
        }
        for (index, (shape, param)) in shapes.iter().zip(&self.params).enumerate() {
            let (given, bytes, ty) = match param {
                Param::Buffer(buffer) | Param::Inside { buffer, .. } => {
                    (format!("buffer `{}`, an address", buffer.name), ADDRESS_BYTES as usize, None)
                }
                Param::Value { ty, .. } => (ty.to_string(), ty.bytes() as usize, Some(*ty)),
                Param::Bytes(bytes) => ("a struct".to_string(), bytes.len(), None),
            };
            let place = format!("parameter {} `{}` of kernel `{kernel}`", index + 1, shape.name);
            if bytes != shape.bytes as usize {
                return wrong(format!(
                    "{place} is {} ({}), the launch gives {given} ({})",
                    count(shape.bytes as usize, "byte"),
                    declared(shape),
                    count(bytes, "byte"),
                ));
            }
            if ty.is_some_and(|ty| of_another_kind(ty, shape)) {
                return wrong(format!("{place} is declared .{}, the launch gives {given}", shape.ty));
            }
        }
        Ok(())
    }
}

/// Whether an integer is given for a float, or a float for an integer; untyped bits take both.
fn of_another_kind(given: Type, shape: &ParamShape) -> bool {
    let untyped = |ty: Type| matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64);
    !untyped(given) && !untyped(shape.ty) && given.is_float() != shape.ty.is_float()
}

fn declared(shape: &ParamShape) -> String {
    if shape.bytes == shape.ty.bytes() {
        format!(".{}", shape.ty)
    } else {
        format!(".{}[{}]", shape.ty, shape.bytes / shape.ty.bytes().max(1))
    }
}

fn parameters(n: usize) -> String {
    count(n, "parameter")
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(name: &str, ty: Type, bytes: u32) -> ParamShape {
        ParamShape { name: name.into(), ty, bytes, align: ty.bytes() }
    }

    /// Returns the message of the check for a kernel `k` with these parameters, "" if the launch fits.
    fn verdict(params: &str, shapes: &[ParamShape]) -> String {
        let launch = Launch::parse(&format!("grid = [1]\nblock = [32]\n{params}")).expect("a launch");
        launch.check("k", shapes).err().map_or(String::new(), |error| error.to_string())
    }

    const BUFFER: &str = "[[param]]\nbuffer = 'x'\ntype = 'f32'\nlen = 8\n";

    #[test]
    fn a_launch_that_fits_is_accepted() {
        let params = format!("{BUFFER}[[param]]\ntype = 's32'\nvalue = 1\n[[param]]\nbytes = [1, 2, 3]\n");
        let shapes = [shape("p", Type::U64, 8), shape("n", Type::U32, 4), shape("s", Type::B8, 3)];
        assert_eq!(verdict(&params, &shapes), "");
    }

    #[test]
    fn the_number_of_parameters_is_named_on_both_sides() {
        let said = verdict("", &[shape("p", Type::U64, 8), shape("n", Type::U32, 4)]);
        assert!(said.contains("kernel `k` declares 2 parameters (`p`, `n`), the launch gives 0"), "{said}");
        let said = verdict(BUFFER, &[]);
        assert!(said.contains("declares 0 parameters, the launch gives 1"), "{said}");
    }

    #[test]
    fn sizes_are_named_on_both_sides() {
        let said = verdict("[[param]]\ntype = 'f64'\nvalue = 1.0\n", &[shape("n", Type::F32, 4)]);
        assert_eq!(said, "parameter 1 `n` of kernel `k` is 4 bytes (.f32), the launch gives f64 (8 bytes)");
        let said = verdict(BUFFER, &[shape("s", Type::B8, 24)]);
        assert_eq!(
            said,
            "parameter 1 `s` of kernel `k` is 24 bytes (.b8[24]), the launch gives buffer `x`, an address (8 bytes)"
        );
        let said = verdict("[[param]]\nhex = 'ff'\n", &[shape("n", Type::U32, 4)]);
        assert_eq!(said, "parameter 1 `n` of kernel `k` is 4 bytes (.u32), the launch gives a struct (1 byte)");
    }

    #[test]
    fn floats_and_integers_are_told_apart_but_bits_take_both() {
        let float = "[[param]]\ntype = 'f32'\nvalue = 1.0\n";
        assert!(verdict(float, &[shape("n", Type::U32, 4)]).contains("declared .u32, the launch gives f32"));
        assert_eq!(verdict(float, &[shape("n", Type::B32, 4)]), "");
        assert_eq!(verdict("[[param]]\ntype = 'b32'\nvalue = 1\n", &[shape("n", Type::F32, 4)]), "");
    }

    #[test]
    fn another_kernels_launch_is_refused() {
        let said = verdict("", &[]);
        assert_eq!(said, "");
        let launch = Launch::parse("kernel = 'other'\ngrid = [1]\nblock = [1]").expect("a launch");
        assert_eq!(launch.check("k", &[]).expect_err("refused").to_string(), "the launch is for kernel `other`, not for `k`");
    }
}
