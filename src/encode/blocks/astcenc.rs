//! astcenc, always the same build of it.
//!
//! `ctt-astcenc` compiles astcenc once for each instruction set of a processor family and chooses
//! among them when it runs. Their blocks are not the same: AVX2 adds up errors in another order than
//! SSE2, and now and then another block looks best (measured: 7 of 126,000). What is built must not
//! depend on the machine that builds it, so the functions are called here by the names of one
//! instruction set that every processor of the architecture has: SSE2 on x86-64, NEON on ARM. They are
//! the same functions with the same arguments, a fifth slower.
#![expect(unsafe_code, reason = "a C library is called")]

use std::ptr;

use ctt_astcenc::bindings::{
    astcenc_config, astcenc_context, astcenc_error, astcenc_error_ASTCENC_SUCCESS, astcenc_image,
    astcenc_profile, astcenc_profile_ASTCENC_PRF_HDR_RGB_LDR_A, astcenc_profile_ASTCENC_PRF_LDR,
    astcenc_swizzle, astcenc_swz_ASTCENC_SWZ_1, astcenc_swz_ASTCENC_SWZ_B, astcenc_swz_ASTCENC_SWZ_G,
    astcenc_swz_ASTCENC_SWZ_R, astcenc_type_ASTCENC_TYPE_F32,
};

unsafe extern "C" {
    #[cfg_attr(target_arch = "x86_64", link_name = "astcenc_sse2_config_init")]
    #[cfg_attr(target_arch = "aarch64", link_name = "astcenc_neon_config_init")]
    fn config_init(
        profile: astcenc_profile,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        quality: f32,
        flags: u32,
        config: *mut astcenc_config,
    ) -> astcenc_error;

    #[cfg_attr(target_arch = "x86_64", link_name = "astcenc_sse2_context_alloc")]
    #[cfg_attr(target_arch = "aarch64", link_name = "astcenc_neon_context_alloc")]
    fn context_alloc(
        config: *const astcenc_config,
        threads: u32,
        context: *mut *mut astcenc_context,
        parent: *const astcenc_context,
    ) -> astcenc_error;

    #[cfg_attr(target_arch = "x86_64", link_name = "astcenc_sse2_context_free")]
    #[cfg_attr(target_arch = "aarch64", link_name = "astcenc_neon_context_free")]
    fn context_free(context: *mut astcenc_context);

    #[cfg_attr(target_arch = "x86_64", link_name = "astcenc_sse2_compress_image")]
    #[cfg_attr(target_arch = "aarch64", link_name = "astcenc_neon_compress_image")]
    fn compress_image(
        context: *mut astcenc_context,
        image: *mut astcenc_image,
        swizzle: *const astcenc_swizzle,
        out: *mut u8,
        out_bytes: usize,
        thread: u32,
    ) -> astcenc_error;

    #[cfg_attr(target_arch = "x86_64", link_name = "astcenc_sse2_decompress_image")]
    #[cfg_attr(target_arch = "aarch64", link_name = "astcenc_neon_decompress_image")]
    fn decompress_image(
        context: *mut astcenc_context,
        bytes: *const u8,
        byte_count: usize,
        image: *mut astcenc_image,
        swizzle: *const astcenc_swizzle,
        thread: u32,
    ) -> astcenc_error;
}

/// x, y and z, and 1 in the fourth channel.
const SWIZZLE: astcenc_swizzle = astcenc_swizzle {
    r: astcenc_swz_ASTCENC_SWZ_R,
    g: astcenc_swz_ASTCENC_SWZ_G,
    b: astcenc_swz_ASTCENC_SWZ_B,
    a: astcenc_swz_ASTCENC_SWZ_1,
};

/// What a context is for.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Width and height of a block.
    pub block: (u32, u32),
    /// Floats instead of unsigned normalised numbers.
    pub hdr: bool,
    /// 0 to 100.
    pub quality: f32,
}

/// A context of astcenc, for one thread.
pub struct Context {
    /// From `context_alloc`, until it is dropped.
    raw: *mut astcenc_context,
    block: (u32, u32),
}

impl Context {
    /// A context whose encoder weighs the errors of x, y and z so. Says what astcenc dislikes.
    pub fn new(settings: Settings, weights: [f32; 3]) -> Result<Self, String> {
        let Settings { block, hdr, quality } = settings;
        let profile =
            if hdr { astcenc_profile_ASTCENC_PRF_HDR_RGB_LDR_A } else { astcenc_profile_ASTCENC_PRF_LDR };
        // SAFETY: all fields are numbers and a callback that may be null.
        let mut config: astcenc_config = unsafe { std::mem::zeroed() };
        // SAFETY: `config` is there to be written.
        check(unsafe { config_init(profile, block.0, block.1, 1, quality, 0, &mut config) })?;
        [config.cw_r_weight, config.cw_g_weight, config.cw_b_weight] = weights;
        config.cw_a_weight = 0.0;
        let mut raw = ptr::null_mut();
        // SAFETY: `config` was made by `config_init`; there is no parent.
        check(unsafe { context_alloc(&config, 1, &mut raw, ptr::null()) })?;
        Ok(Self { raw, block })
    }

    /// Encodes texels of four channels; `out` has room for their blocks.
    pub fn compress(
        &mut self,
        width: u32,
        height: u32,
        rgba: &mut [f32],
        out: &mut [u8],
    ) -> Result<(), String> {
        self.check_sizes(width, height, rgba.len(), out.len());
        let mut plane = rgba.as_mut_ptr().cast();
        let mut image = image(width, height, &mut plane);
        // SAFETY: sizes were checked; the image and what it points to outlive the call. Nobody else
        // uses the context, which is borrowed mutably; with one thread astcenc resets it by itself.
        check(unsafe { compress_image(self.raw, &mut image, &SWIZZLE, out.as_mut_ptr(), out.len(), 0) })
    }

    /// Decodes blocks to texels of four channels, as GPUs do that decode to 16-bit floats.
    pub fn decompress(
        &mut self,
        width: u32,
        height: u32,
        bytes: &[u8],
        rgba: &mut [f32],
    ) -> Result<(), String> {
        self.check_sizes(width, height, rgba.len(), bytes.len());
        let mut plane = rgba.as_mut_ptr().cast();
        let mut image = image(width, height, &mut plane);
        // SAFETY: as in `compress`.
        check(unsafe { decompress_image(self.raw, bytes.as_ptr(), bytes.len(), &mut image, &SWIZZLE, 0) })
    }

    fn check_sizes(&self, width: u32, height: u32, values: usize, bytes: usize) {
        let blocks = width.div_ceil(self.block.0) as usize * height.div_ceil(self.block.1) as usize;
        assert!(values == width as usize * height as usize * 4 && bytes == blocks * 16);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it came from `context_alloc` and goes only here.
        unsafe { context_free(self.raw) };
    }
}

/// A picture of one slice, which `plane` points to.
fn image(width: u32, height: u32, plane: &mut *mut std::ffi::c_void) -> astcenc_image {
    astcenc_image {
        dim_x: width,
        dim_y: height,
        dim_z: 1,
        data_type: astcenc_type_ASTCENC_TYPE_F32,
        data: plane,
    }
}

fn check(code: astcenc_error) -> Result<(), String> {
    match code {
        code if code == astcenc_error_ASTCENC_SUCCESS => Ok(()),
        code => Err(format!("astcenc reports error {code}")),
    }
}
