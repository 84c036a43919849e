//! Colours for sizes of errors.

/// Stops of the scale, dark to bright, so that it reads in print and by those who see few colours: the lightness rises
/// all the way.
const STOPS: [[f32; 3]; 5] =
    [[0.27, 0.33, 0.55], [0.22, 0.48, 0.66], [0.28, 0.66, 0.56], [0.93, 0.78, 0.36], [1.00, 0.93, 0.80]];

/// Beyond the end of the scale.
const OVER: [f32; 3] = [0.90, 0.16, 0.22];

/// The colour of a share of the largest error that may be: 0 dark, 1 bright, above 1 red; grey for NaN.
pub fn heat(share: f32) -> [f32; 3] {
    if share.is_nan() {
        return [0.5; 3];
    }
    if share > 1.0 {
        return OVER;
    }
    let place = share.max(0.0) * (STOPS.len() - 1) as f32;
    let below = (place as usize).min(STOPS.len() - 2);
    let t = place - below as f32;
    [0, 1, 2].map(|i| STOPS[below][i] * (1.0 - t) + STOPS[below + 1][i] * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lightness_rises_along_the_scale() {
        let lightness = |c: [f32; 3]| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
        let all: Vec<f32> = (0..=100).map(|i| lightness(heat(i as f32 / 100.0))).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        assert_eq!((heat(0.0), heat(1.0)), (STOPS[0], STOPS[4]));
        assert_eq!((heat(1.001), heat(-1.0), heat(f32::NAN)), (OVER, STOPS[0], [0.5; 3]));
    }
}
