//! Ray tracing of spheres, in the kernel's order of operations.

use super::host::Array;
use super::{Host, Mismatch};

/// Direction towards the light.
const LIGHT: Vector = [-0.48, 0.64, -0.6];
/// Floats per sphere: x, y, z, radius, shade, mirror.
const SPHERE: i32 = 6;

type Vector = [f32; 3];

struct Sphere {
    centre: Vector,
    radius: f32,
    shade: f32,
    mirror: f32,
}

struct Ray {
    from: Vector,
    towards: Vector,
}

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let spheres = spheres(&host.read::<f32>(0)?, host.value::<i32>(1)?)?;
    let mut image = host.read::<f32>(2)?;
    let (width, height, bounces) = (host.value::<i32>(3)?, host.value::<i32>(4)?, host.value::<i32>(5)?);
    let [columns, rows] = [0, 1].map(|axis| host.grid()[axis].saturating_mul(host.block()[axis]));
    for py in 0..height.min(rows) {
        for px in 0..width.min(columns) {
            let dx = (2.0 * px as f32 - width as f32) / width as f32;
            let dy = (height as f32 - 2.0 * py as f32) / width as f32;
            let length = dot([dx, dy, 1.0], [dx, dy, 1.0]).sqrt();
            let ray = Ray { from: [0.0; 3], towards: [dx / length, dy / length, 1.0 / length] };
            image.set(i64::from(py) * i64::from(width) + i64::from(px), trace(&spheres, ray, bounces))?;
        }
    }
    host.write(2, &image)
}

fn spheres(floats: &Array<f32>, count: i32) -> Result<Vec<Sphere>, Mismatch> {
    (0..count)
        .map(|i| {
            let part = |offset: i32| floats.at(i64::from(i) * i64::from(SPHERE) + i64::from(offset));
            Ok(Sphere { centre: [part(0)?, part(1)?, part(2)?], radius: part(3)?, shade: part(4)?, mirror: part(5)? })
        })
        .collect()
}

/// Returns the light that comes back along a ray.
fn trace(spheres: &[Sphere], mut ray: Ray, bounces: i32) -> f32 {
    let (mut light, mut weight) = (0.0f32, 1.0f32);
    for _ in 0..=bounces {
        let mut nearest = None;
        let mut t = 1e30f32;
        for sphere in spheres {
            let d = hit(sphere, &ray);
            if d > 0.001 && d < t {
                t = d;
                nearest = Some(sphere);
            }
        }
        let Some(sphere) = nearest else {
            light += weight * (0.5 + 0.5 * ray.towards[1]);
            break;
        };
        ray.from = zip(ray.from, ray.towards, |o, d| o + t * d);
        let normal = zip(ray.from, sphere.centre, |o, c| (o - c) / sphere.radius);

        let facing = dot(normal, LIGHT);
        let to_light = Ray { from: ray.from, towards: LIGHT };
        let lit = if facing > 0.0 && !spheres.iter().any(|other| hit(other, &to_light) > 0.001) { facing } else { 0.0 };
        light += weight * (1.0 - sphere.mirror) * sphere.shade * (0.2 + 0.8 * lit);

        weight *= sphere.mirror;
        if weight < 0.05 {
            break;
        }
        let back = 2.0 * dot(ray.towards, normal);
        ray.towards = zip(ray.towards, normal, |d, n| d - back * n);
    }
    light
}

/// Returns the distance along the ray at which it enters the sphere; negative for a miss.
fn hit(sphere: &Sphere, ray: &Ray) -> f32 {
    let to_centre = zip(sphere.centre, ray.from, |c, o| c - o);
    let along = dot(to_centre, ray.towards);
    let gap = dot(to_centre, to_centre) - along * along;
    let depth = sphere.radius * sphere.radius - gap;
    if depth < 0.0 { -1.0 } else { along - depth.sqrt() }
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn zip(a: Vector, b: Vector, f: impl Fn(f32, f32) -> f32) -> Vector {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHEAD: Vector = [0.0, 0.0, 1.0];

    fn sphere(z: f32, mirror: f32) -> Sphere {
        Sphere { centre: [0.0, 0.0, z], radius: 1.0, shade: 1.0, mirror }
    }

    #[test]
    fn rays_hit_what_is_in_front_of_them() {
        assert_eq!(hit(&sphere(5.0, 0.0), &Ray { from: [0.0; 3], towards: AHEAD }), 4.0);
        assert_eq!(hit(&sphere(5.0, 0.0), &Ray { from: [0.0, 2.0, 0.0], towards: AHEAD }), -1.0);
        assert!(hit(&sphere(-5.0, 0.0), &Ray { from: [0.0; 3], towards: AHEAD }) < 0.0);
    }

    #[test]
    fn the_sky_the_lit_side_and_a_mirror_differ() {
        let ray = || Ray { from: [0.0; 3], towards: AHEAD };
        assert_eq!(trace(&[], ray(), 3), 0.5);
        // The side that faces the eye also faces the light: the cosine between them is 0.6.
        let lit = trace(&[sphere(5.0, 0.0)], ray(), 3);
        assert!((lit - (0.2 + 0.8 * 0.6)).abs() < 1e-6, "{lit}");
        // A perfect mirror shows the sky behind the eye.
        assert_eq!(trace(&[sphere(5.0, 1.0)], ray(), 3), 0.5);
    }
}
