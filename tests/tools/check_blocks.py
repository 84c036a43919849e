"""Decodes sheets in blocks with other people's decoders, and compares with an exact bake.

    python3 check_blocks.py EXACT.vat.json BLOCKS.vat.json [more BLOCKS.vat.json]

EXACT is a bake in rgba32f of the same clips at the same rates. For every clip the largest and the root mean
square distance at the frames must be what the metadata says. Needs numpy, astc-encoder-py (ARM's decoder,
ASTC LDR and HDR), texture2ddecoder (BC7), alktx2 and pillow (Basis Universal 2: UASTC). Prints JSON; exits 1 on a difference.
"""

import json
import pathlib
import struct
import sys

import numpy as np

ASTC = {"astc-4x4": 4, "astc-5x5": 5, "astc-6x6": 6, "astc-8x8": 8, "astc-hdr-4x4": 4, "astc-hdr-6x6": 6}


def level(file):
    """The only level of an uncompressed KTX2 file, and width, height and layers."""
    width, height, _, layers = struct.unpack_from("<4I", file, 20)
    offset, length, _ = struct.unpack_from("<3Q", file, 80)
    return file[offset : offset + length], width, height, max(layers, 1)


def astc(blocks, width, height, size, hdr):
    import astc_encoder as ae

    profile = ae.ASTCProfile.HDR if hdr else ae.ASTCProfile.LDR
    config = ae.ASTCConfig(profile, size, size, 1, 10)
    context = ae.ASTCContext(config)
    image = ae.ASTCImage(ae.ASTCType.F32, width, height)
    context.decompress(blocks, image, ae.ASTCSwizzle())
    return np.frombuffer(image.data, np.float32).reshape(height, width, 4)


def bc7(blocks, width, height):
    import texture2ddecoder

    bgra = np.frombuffer(texture2ddecoder.decode_bc7(blocks, width, height), np.uint8)
    return bgra.reshape(height, width, 4)[:, :, [2, 1, 0, 3]] / np.float32(255)


def uastc(file, width, height):
    import io

    import alktx2
    from PIL import Image

    png = alktx2.decode_ktx2_to_bytes(file, format="png")
    image = Image.open(io.BytesIO(png)).convert("RGBA")
    assert image.size == (width, height)
    return np.asarray(image, np.uint8) / np.float32(255)


def texels(path, form):
    file = path.read_bytes()
    data, width, height, layers = level(file)
    rows = height * layers
    if form == "rgba32f":
        return np.frombuffer(data, np.float32).reshape(rows, width, 4)
    if form in ASTC:
        return astc(data, width, rows, ASTC[form], "hdr" in form)
    if form == "bc7":
        return bc7(data, width, rows)
    if form == "uastc":
        return uastc(file, width, rows)
    raise SystemExit(f"no decoder here for {form}")


class Character:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.json = json.loads(self.path.read_text())
        folder = self.path.parent
        wanted = ("position", "position+normal", "residual")
        self.sheets = {
            i: (sheet, texels(folder / sheet["file"], sheet["format"]))
            for i, sheet in enumerate(self.json["sheets"])
            if sheet["holds"] in wanted
        }

    def track(self, clip, holds):
        for track in clip["tracks"]:
            sheet = self.sheets.get(track["sheet"])
            if sheet and sheet[0]["holds"].split("+")[0] == holds:
                return track
        return None

    def decoded(self, track):
        """Frames x columns x 3, without the rest position."""
        sheet, values = self.sheets[track["sheet"]]
        columns, width = self.json["column_count"], sheet["width"]
        k = np.arange(columns)
        first = track["layer"] * sheet["height"] + track["first_row"] + k // width * track["band_rows"]
        rows = first[None, :] + np.arange(track["frames"])[:, None]
        v = values[rows, k[None, :] % width, :3].astype(np.float64)
        return np.array(track["bias"]) + np.array(track["scale"]) * v

    def positions(self, clip):
        track = self.track(clip, "position")
        p = self.decoded(track)
        residual = self.track(clip, "residual")
        return track, p + self.decoded(residual) if residual else p

    def rest(self):
        """The rest position of each column, from the mesh."""
        glb = (self.path.parent / self.json["mesh"]).read_bytes()
        size = struct.unpack_from("<I", glb, 12)[0]
        gltf, binary = json.loads(glb[20 : 20 + size]), glb[28 + size :]
        rest = np.zeros((self.json["column_count"], 3))
        for mesh in gltf["meshes"][:1]:
            attributes = mesh["primitives"][0]["attributes"]
            read = lambda name, width: self.accessor(gltf, binary, attributes[name], width)
            rest[read("_VAT_COLUMN", 1)[:, 0].astype(int)] = read("POSITION", 3)
        return rest

    @staticmethod
    def accessor(gltf, binary, index, width):
        accessor = gltf["accessors"][index]
        view = gltf["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", 4 * width) // 4
        flat = np.frombuffer(binary, np.float32, offset=start, count=(accessor["count"] - 1) * stride + width)
        return np.lib.stride_tricks.as_strided(flat, (accessor["count"], width), (stride * 4, 4))


def main(exact, others):
    truth = Character(exact)
    report, wrong = [], False
    for path in others:
        other = Character(path)
        rest = other.rest()
        for a, b in zip(truth.json["clips"], other.json["clips"]):
            track_a, p = truth.positions(a)
            track, q = other.positions(b)
            assert not track_a["relative"] and a["name"] == b["name"]
            q = q + rest if track["relative"] else q
            square = ((p - q) ** 2).sum(-1)
            found = {"max": float(square.max() ** 0.5), "rms": float(square.mean() ** 0.5)}
            said = track["error"]["encode"]
            size = np.linalg.norm(np.array(b["bounds"]["max"]) - np.array(b["bounds"]["min"]))
            form = other.sheets[track["sheet"]][0]["format"]
            apart = max(abs(found[key] - said[key]) for key in found) / size
            wrong |= apart > 1e-5
            report.append({"file": str(path), "clip": b["name"], "format": form, "found": found, "said": said, "apart": float(apart)})
    print(json.dumps({"files": report}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
