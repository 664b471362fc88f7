// Files -> one zip, uncompressed: small files of a collection, for programs that take zips.

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc >>> 0;
});
const UTF8 = 0x800; // names are UTF-8
const VERSION = 20;

// Bytes of each number. Of a file: version, flags, method, time, date, checksum, sizes, lengths of name and
// extra field; in the directory also who made it, and behind: comment, disk, attributes, offset.
const LOCAL = "2222244422";
const CENTRAL = `2${LOCAL}22244`;

/** `files`: [{name, content}], where content is text or a Blob. */
export async function zip(files) {
  const [parts, directory] = [[], []];
  let offset = 0;
  for (const { name, content } of files) {
    const bytes = new Uint8Array(await new Blob([content]).arrayBuffer());
    const title = new TextEncoder().encode(name);
    const fields = [VERSION, UTF8, 0, 0, 0, crc32(bytes), bytes.length, bytes.length, title.length, 0];
    const local = record(0x04034b50, LOCAL, fields);
    parts.push(local, title, bytes);
    directory.push(record(0x02014b50, CENTRAL, [VERSION, ...fields, 0, 0, 0, 0, offset]), title);
    offset += local.length + title.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record(0x06054b50, "2222442", [0, 0, files.length, files.length, size, offset, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** A signature and numbers, little end first; `sizes` has the bytes of each. */
function record(signature, sizes, numbers) {
  const bytes = new DataView(new ArrayBuffer(4 + [...sizes].reduce((sum, size) => sum + Number(size), 0)));
  bytes.setUint32(0, signature, true);
  let at = 4;
  [...sizes].forEach((size, place) => {
    if (size === "2") bytes.setUint16(at, numbers[place], true);
    else bytes.setUint32(at, numbers[place], true);
    at += Number(size);
  });
  return new Uint8Array(bytes.buffer);
}

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
