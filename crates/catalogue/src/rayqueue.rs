//! Ray tracing of triangles, in the kernel's order of operations; and the scenes, with their trees of bounding boxes.

use super::host::Array;
use super::{Host, Mismatch};
use warpscope_kernel::launch::SplitMix64;

/// Rays that a warp takes from the queue at once.
const BATCH: i32 = 64;
/// Direction towards the light.
const LIGHT: Vector = [-0.48, 0.64, -0.6];
const EYE: Vector = [0.0, 2.0, -8.0];
/// Most triangles of a leaf.
const LEAF: usize = 4;

type Vector = [f32; 3];

struct Tree {
    boxes: Array<f32>,
    links: Array<i32>,
    triangles: Array<f32>,
}

struct Ray {
    from: Vector,
    towards: Vector,
}

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let tree = Tree { boxes: host.read(0)?, links: host.read(1)?, triangles: host.read(2)? };
    let (mut image, mut next) = (host.read::<f32>(3)?, host.read::<i32>(4)?);
    let (width, height) = (host.value::<i32>(5)?, host.value::<i32>(6)?);
    let [lanes, warps, one] = host.block();
    let rays = width.saturating_mul(height);
    if lanes != 32 || !(1..=6).contains(&warps) || one != 1 || rays % BATCH != 0 {
        return Err(Mismatch::Launch("a block should be one to six warps of 32, and the rays whole batches of 64".to_string()));
    }
    let first = next.at(0)?;
    for ray in first..rays {
        image.set(ray, light(&tree, ray, width, height)?)?;
    }
    // Every warp advances the queue once more when it finds the queue empty.
    let taken = (rays - first).max(0) / BATCH + host.grid().iter().product::<i32>() * warps;
    next.set(0, first + BATCH * taken)?;
    host.write(3, &image)?;
    host.write(4, &next)
}

fn light(tree: &Tree, ray: i32, width: i32, height: i32) -> Result<f32, Mismatch> {
    let (w, h) = (width as f32, height as f32);
    let dx = (2.0 * (ray % width) as f32 + 1.0 - w) / w;
    let dy = (h - 1.0 - 2.0 * (ray / width) as f32) / w;
    let Some((nearest, far)) = walk(tree, false, &Ray { from: EYE, towards: [dx, dy, 1.0] })? else { return Ok(0.0) };
    let v = triangle(tree, nearest)?;
    let normal = cross([v[3], v[4], v[5]], [v[6], v[7], v[8]]);
    let facing = dot(normal, LIGHT).abs() / dot(normal, normal).sqrt();
    let hit = Ray { from: [far * dx, EYE[1] + far * dy, far + EYE[2]], towards: LIGHT };
    Ok(if walk(tree, true, &hit)?.is_none() { 0.2 + 0.8 * facing } else { 0.2 })
}

/// Returns the nearest triangle that the ray hits, or any one, with its distance.
fn walk(tree: &Tree, any: bool, ray: &Ray) -> Result<Option<(i32, f32)>, Mismatch> {
    let over = ray.towards.map(|d| 1.0 / d);
    let mut stack = Vec::new();
    let (mut at, mut far, mut found) = (0, 1e30f32, None);
    loop {
        let (first, count) = (tree.links.at(2 * at)?, tree.links.at(2 * at + 1)?);
        if count == 0 {
            let (left, right) = (enter(tree, first, ray, over, far)?, enter(tree, first + 1, ray, over, far)?);
            let (nearer, farther) = if left <= right { (first, first + 1) } else { (first + 1, first) };
            if left < 1e30 || right < 1e30 {
                if left < 1e30 && right < 1e30 {
                    stack.push(farther);
                }
                at = nearer;
                continue;
            }
        } else {
            for i in first..first + count {
                if let Some(t) = meet(&triangle(tree, i)?, ray).filter(|t| *t < far) {
                    (far, found) = (t, Some((i, t)));
                    if any {
                        return Ok(found);
                    }
                }
            }
        }
        let Some(next) = stack.pop() else { return Ok(found) };
        at = next;
    }
}

fn triangle(tree: &Tree, i: i32) -> Result<[f32; 9], Mismatch> {
    let mut v = [0.0; 9];
    for (part, at) in v.iter_mut().zip(0i64..) {
        *part = tree.triangles.at(9 * i64::from(i) + at)?;
    }
    Ok(v)
}

/// Returns the distance at which the ray enters a box; more than 1e30 for a miss.
fn enter(tree: &Tree, i: i32, ray: &Ray, over: Vector, far: f32) -> Result<f32, Mismatch> {
    let (mut near, mut end) = ([0.0f32; 3], [0.0f32; 3]);
    for axis in 0..3 {
        let side = |offset: usize| Ok((tree.boxes.at(6 * i64::from(i) + (axis + offset) as i64)? - ray.from[axis]) * over[axis]);
        let (one, other): (f32, f32) = (side(0)?, side(3)?);
        (near[axis], end[axis]) = (one.min(other), one.max(other));
    }
    let enters = near[0].max(near[1]).max(near[2].max(0.0));
    let leaves = end[0].min(end[1]).min(end[2].min(far));
    Ok(if enters <= leaves { enters } else { 2e30 })
}

/// Returns the distance at which the ray hits the triangle: Möller and Trumbore's test.
fn meet(v: &[f32; 9], ray: &Ray) -> Option<f32> {
    let (edge, other) = ([v[3], v[4], v[5]], [v[6], v[7], v[8]]);
    let p = cross(ray.towards, other);
    let scale = 1.0 / dot(edge, p);
    let from = [ray.from[0] - v[0], ray.from[1] - v[1], ray.from[2] - v[2]];
    let a = dot(from, p) * scale;
    let q = cross(from, edge);
    let b = dot(ray.towards, q) * scale;
    let t = dot(other, q) * scale;
    (a >= 0.0 && b >= 0.0 && a + b <= 1.0 && t > 0.001).then_some(t)
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The corners of a triangle.
type Corners = [Vector; 3];

/// Makes a floor with that many blocks on it.
fn scene(blocks: usize) -> Vec<Corners> {
    let mut random = SplitMix64::new(11);
    let mut between = |least: f32, most: f32| least + (most - least) * ((random.draw() >> 40) as f32 / (1 << 24) as f32);
    let floor = [[-12.0, 0.0, -4.0], [12.0, 0.0, -4.0], [12.0, 0.0, 20.0], [-12.0, 0.0, 20.0]];
    let mut faces = vec![floor];
    for _ in 0..blocks {
        let (x, z) = (between(-6.0, 6.0), between(-2.0, 12.0));
        let (size, height) = (between(0.2, 1.0), between(0.3, 3.0));
        let corner = |i: usize| {
            let side = |bit: usize, one: f32, other: f32| if i & bit == 0 { one } else { other };
            [side(1, x - size, x + size), side(2, 0.0, height), side(4, z - size, z + size)]
        };
        let sides = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 4, 6, 2], [1, 5, 7, 3], [2, 3, 7, 6], [0, 1, 5, 4]];
        faces.extend(sides.map(|side| side.map(corner)));
    }
    faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect()
}

/// The triangles in the order of the tree's leaves, and the tree, which halves them by centre along the longest axis.
struct Built {
    triangles: Vec<Corners>,
    boxes: Vec<[f32; 6]>,
    links: Vec<[i32; 2]>,
}

fn build(triangles: Vec<Corners>) -> Built {
    let all = triangles.len();
    let mut built = Built { triangles, boxes: vec![[0.0; 6]], links: vec![[0; 2]] };
    fill(&mut built, 0, 0..all);
    built
}

fn fill(built: &mut Built, at: usize, range: std::ops::Range<usize>) {
    let points = built.triangles[range.clone()].iter().flatten();
    let bound = |choose: fn(f32, f32) -> f32, start: f32| {
        points.clone().fold([start; 3], |bound, point| [0, 1, 2].map(|axis| choose(bound[axis], point[axis])))
    };
    let (low, high) = (bound(f32::min, f32::MAX), bound(f32::max, f32::MIN));
    built.boxes[at] = [low[0], low[1], low[2], high[0], high[1], high[2]];
    if range.len() <= LEAF {
        built.links[at] = [range.start as i32, range.len() as i32];
        return;
    }
    let length = |axis: usize| high[axis] - low[axis];
    let longest = (1..3).fold(0, |longest, axis| if length(axis) > length(longest) { axis } else { longest });
    let centre = |triangle: &Corners| triangle[0][longest] + triangle[1][longest] + triangle[2][longest];
    built.triangles[range.clone()].sort_by(|a, b| centre(a).total_cmp(&centre(b)));
    let (first, middle) = (built.boxes.len(), range.start + range.len() / 2);
    built.boxes.extend([[0.0; 6]; 2]);
    built.links.extend([[0; 2]; 2]);
    built.links[at] = [first as i32, 0];
    fill(built, first, range.start..middle);
    fill(built, first + 1, middle..range.end);
}

/// Makes the scene's files: 2 blocks for the small launch, 24 for the full one.
pub fn file(name: &str) -> Option<Vec<u8>> {
    let Built { triangles, boxes, links } = build(scene(if name.contains("small") { 2 } else { 24 }));
    let floats = |floats: Vec<f32>| floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    match name.trim_start_matches("small_") {
        "boxes.bin" => Some(floats(boxes.concat())),
        "links.bin" => Some(links.concat().iter().flat_map(|link| link.to_le_bytes()).collect()),
        "triangles.bin" => {
            let edges = |[a, b, c]: &Corners| [*a, [0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i])].concat();
            Some(floats(triangles.iter().flat_map(edges).collect()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::check_files;

    #[test]
    fn the_scenes_files_are_the_scenes() {
        let names = ["boxes.bin", "links.bin", "triangles.bin", "small_boxes.bin", "small_links.bin", "small_triangles.bin"];
        check_files("rayqueue", &names, file);
    }

    #[test]
    fn every_triangle_is_in_one_leaf_and_inside_its_box() {
        let built = build(scene(24));
        let mut leaves: Vec<[i32; 2]> = built.links.iter().filter(|link| link[1] > 0).copied().collect();
        leaves.sort_unstable();
        let ends = leaves.iter().scan(0, |end, [first, count]| {
            let begins = *end;
            *end = first + count;
            Some((begins, *first))
        });
        assert!(ends.into_iter().all(|(end, first)| end == first), "leaves follow each other");
        for (link, bounds) in built.links.iter().zip(&built.boxes).filter(|(link, _)| link[1] > 0) {
            for point in built.triangles[link[0] as usize..(link[0] + link[1]) as usize].iter().flatten() {
                assert!((0..3).all(|axis| bounds[axis] <= point[axis] && point[axis] <= bounds[axis + 3]));
            }
        }
    }

    #[test]
    fn a_ray_meets_what_is_before_it() {
        let ahead = Ray { from: [0.25, 0.25, -2.0], towards: [0.0, 0.0, 1.0] };
        let v = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert_eq!(meet(&v, &ahead), Some(2.0));
        assert_eq!(meet(&v, &Ray { from: [0.75, 0.75, -2.0], ..ahead }), None);
    }
}
