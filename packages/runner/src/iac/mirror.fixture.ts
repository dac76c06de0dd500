import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

const platform = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`

type MirroredProvider = {
  source: string
  version: string
  /** Script of the provider. Fails by default. */
  script?: string
  /** Name of the file in the archive, if not the correct one. */
  fileName?: string
  /** Number of zero bytes after the script, which the archive compresses to a thousandth. */
  zeros?: number
}

/** Creates a provider mirror in a folder, with a script as provider, and a CLI configuration file for it. */
export async function createMirror(folder: string, given: MirroredProvider) {
  const { source, version, script = '#!/bin/sh\nexit 1\n', zeros = 0 } = given
  const [, , type] = source.split('/')
  const place = join(folder, 'mirror', source)
  await mkdir(place, { recursive: true })
  const name = given.fileName ?? `terraform-provider-${type}_v${version}`
  const program = { name, content: Buffer.concat([Buffer.from(script), Buffer.alloc(zeros)]) }
  await writeFile(join(place, `terraform-provider-${type}_${version}_${platform}.zip`), createZip(program))
  const cliConfig = join(folder, 'tool.rc')
  const path = JSON.stringify(join(folder, 'mirror'))
  await writeFile(cliConfig, `provider_installation {\n  filesystem_mirror { path = ${path} }\n}\n`)
  return { cliConfig, installed: join(source, version, platform, program.name) }
}

/** Creates a zip archive of one executable file. "APPNOTE.TXT" of PKWARE, 4.3.7, 4.3.12 and 4.3.16. */
function createZip({ name, content }: { name: string; content: Buffer }): Buffer {
  const packed = deflateRawSync(content)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0) // version 2.0
  common.writeUInt16LE(8, 4) // deflated
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
  const attributes = Buffer.alloc(14)
  attributes.writeUInt32LE(0o100755 * 2 ** 16, 6) // Unix file mode
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x03'), // made on Unix
    common,
    attributes,
    Buffer.from(name),
  ])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(local.length, 12)
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end])
}
