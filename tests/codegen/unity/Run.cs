// What the generated scripts make of a bake, without Unity: written down for tests/codegen/unity.rs to compare.
//
// Run.exe FOLDER NAME OUT: reads FOLDER/NAME.vat.json and what it names; OUT gets the texels of each sheet, the numbers of each
// level of detail and the table of each group. Run.exe --play: lines of numbers in, frames out. Run.exe --broken FILE KIND: reads
// the file cut at each length, and says what kinds of failures there are.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using UnityEngine;
using Vat;
using Vat.Editor;

public static class Run
{
    static readonly CultureInfo Plain = CultureInfo.InvariantCulture;

    public static int Main(string[] arguments)
    {
        switch (arguments[0])
        {
            case "--play": Play(); break;
            case "--broken": Broken(arguments[1], arguments[2]); break;
            default: Bake(arguments[0], arguments[1], arguments[2]); break;
        }
        return 0;
    }

    static void Bake(string folder, string name, string result)
    {
        VatBake bake = VatBake.Read(File.ReadAllBytes(Path.Combine(folder, name + ".vat.json")));
        Console.WriteLine(bake.Name + " " + bake.Layout + " " + bake.VertexCount + " " + bake.ColumnCount);
        for (int sheet = 0; sheet < bake.Sheets.Count; sheet++)
        {
            VatKtx2 file = VatKtx2.Read(File.ReadAllBytes(Path.Combine(folder, bake.Sheets[sheet].File)));
            bake.Check(sheet, file);
            File.WriteAllBytes(Path.Combine(result, "sheet" + sheet), file.Data);
            Console.WriteLine("sheet " + file.VkFormat + " " + file.Width + " " + file.Height + " " + file.Layers);
        }
        List<VatLevel> levels = VatGlb.Read(File.ReadAllBytes(Path.Combine(folder, bake.Mesh)), bake.ColumnTexcoord);
        for (int level = 0; level < levels.Count; level++)
        {
            Floats(Path.Combine(result, "positions" + level), levels[level].Positions);
            Floats(Path.Combine(result, "normals" + level), levels[level].Normals ?? new float[0]);
            Floats(Path.Combine(result, "columns" + level), Array.ConvertAll(levels[level].Columns, column => (float)column));
            var triangles = new List<int>();
            levels[level].Triangles.ForEach(triangles.AddRange);
            Floats(Path.Combine(result, "triangles" + level), triangles.ConvertAll(index => (float)index).ToArray());
            Console.WriteLine("level " + levels[level].Name + " " + levels[level].Uvs.Count + " " + string.Join(",", levels[level].Materials));
        }
        for (int group = 0; group < bake.Groups.Count; group++)
        {
            VatGroupInfo info = bake.Groups[group];
            Floats(Path.Combine(result, "table" + group), bake.Table(info));
            Console.WriteLine("group " + string.Join(",", info.Sheets) + " " + string.Join(",", info.Lods) + " " + info.Array);
        }
    }

    static void Floats(string path, float[] numbers)
    {
        var bytes = new byte[4 * numbers.Length];
        Buffer.BlockCopy(numbers, 0, bytes, 0, bytes.Length);
        File.WriteAllBytes(path, bytes);
    }

    // A line: duration, looping, stepped, frames, fps, word, start, speed, phase, now.
    static void Play()
    {
        Console.WriteLine(Marshal.SizeOf(typeof(VatInstance)));
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] words = line.Split(' ');
            var clip = new VatClip
            {
                duration = double.Parse(words[0], Plain), looping = words[1] == "true", stepped = words[2] == "true",
            };
            var track = new VatTrack { frames = int.Parse(words[3], Plain), fps = double.Parse(words[4], Plain) };
            uint word = uint.Parse(words[5], Plain);
            var instance = new VatInstance((int)(word & 0xffffff), uint.Parse(words[6], Plain), (VatPlayback)(word >> 24),
                float.Parse(words[7], Plain), float.Parse(words[8], Plain));
            uint now = uint.Parse(words[9], Plain);
            VatFrame frame = VatTime.Current(clip, track, instance, now);
            Vector4 a, b, c;
            instance.FadeTo(3, now, 0.25f, VatPlayback.Once);
            instance.ToProperties(out a, out b, out c);
            string[] properties = Array.ConvertAll(
                new[] { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z }, number => number.ToString("R", Plain));
            Console.WriteLine(frame.frame + " " + frame.blend.ToString("R", Plain) + " "
                + instance.Fade(unchecked(now + 512)).ToString("R", Plain) + " " + VatClock.Ticks(clip.duration) + " "
                + string.Join(" ", properties));
        }
    }

    static void Broken(string path, string kind)
    {
        byte[] whole = File.ReadAllBytes(path);
        var said = new SortedSet<string>();
        for (int length = 0; length < whole.Length; length += Math.Max(1, whole.Length / 997))
        {
            var cut = new byte[length];
            Array.Copy(whole, cut, length);
            try
            {
                switch (kind)
                {
                    case "ktx2": VatKtx2.Read(cut); break;
                    case "glb": VatGlb.Read(cut, 0); break;
                    default: VatBake.Read(cut); break;
                }
                said.Add("read");
            }
            catch (VatFileException)
            {
                said.Add("refused");
            }
            catch (Exception error)
            {
                said.Add(error.GetType().Name + " at " + length + " " + error.Message);
            }
        }
        try
        {
            if (kind == "ktx2") { VatKtx2.Read(whole); }
            said.Add("whole");
        }
        catch (VatFileException error)
        {
            said.Add(error.Message);
        }
        Console.WriteLine(string.Join("\n", said));
    }
}
