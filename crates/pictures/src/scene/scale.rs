//! Scenes at another scale, for rooms that are larger than a picture was laid out for.

use super::{Geometry, Rect, Scene, Shape};

impl<T: Copy> Scene<T> {
    /// Returns the scene enlarged. Edges of figures come to lie on whole pixels, so that tokens of one size stay of one size and
    /// a partial repaint looks like a full one.
    pub fn scaled(mut self, scale: f32) -> Scene<T> {
        if scale == 1.0 {
            return self;
        }
        let steps = self.script.steps.iter_mut().map(|step| &mut step.shape);
        self.shapes.iter_mut().chain(steps).for_each(|shape| enlarge(shape, scale));
        for spot in &mut self.spots {
            spot.rect = scaled(spot.rect, scale);
        }
        for (x, y) in self.waypoints.iter_mut().flat_map(|way| &mut way.points) {
            (*x, *y) = (*x * scale, *y * scale);
        }
        (self.width, self.height) = (self.width * scale, self.height * scale);
        self
    }
}

fn enlarge(shape: &mut Shape, scale: f32) {
    match &mut shape.geometry {
        Geometry::Fill(r) | Geometry::Outline(r) | Geometry::Dot(r) | Geometry::Wait(r) | Geometry::Round(r) => {
            *r = scaled(*r, scale)
        }
        Geometry::Ring(r) | Geometry::Line(r) | Geometry::Arrow(r) => *r = scaled(*r, scale),
        Geometry::Text { x, y, size, .. } => (*x, *y, *size) = (*x * scale, *y * scale, *size * scale),
    }
}

fn scaled(rect: Rect, scale: f32) -> Rect {
    let [x, y] = [rect.x, rect.y].map(|at| (at * scale).round());
    let [right, bottom] = [rect.x + rect.w, rect.y + rect.h].map(|at| (at * scale).round());
    Rect::new(x, y, right - x, bottom - y)
}

#[cfg(test)]
mod tests {
    use super::super::{Align, Tone, key};
    use super::*;

    #[test]
    fn an_enlarged_scene_keeps_what_it_shows_on_whole_pixels() {
        let mut scene: Scene<u8> = Scene::new(100.0, 50.0);
        scene.round(key(1, 0, 0, 0), Tone::Accent, Rect::new(3.0, 5.0, 11.0, 11.0));
        scene.label(0, Tone::Text, 10.0, 20.0, 12.0, Align::Left, "word");
        scene.spot(Rect::new(3.0, 5.0, 11.0, 11.0), 7);
        let lift = scene.act("lift", 100);
        let raised = scene.shapes[0].moved_by((0.0, -2.0));
        scene.pose(lift, [raised]);
        let large = scene.scaled(1.5);
        assert_eq!((large.width, large.height), (150.0, 75.0));
        assert_eq!(large.shapes[0].geometry, Geometry::Round(Rect::new(5.0, 8.0, 16.0, 16.0)));
        assert!(matches!(large.shapes[1].geometry, Geometry::Text { x: 15.0, y: 30.0, size: 18.0, .. }));
        assert_eq!((large.hit(6.0, 9.0), large.hit(25.0, 9.0)), (Some(7), None));
        assert_eq!(large.script.steps[0].shape.geometry.place().y, 5.0);
    }
}
