import { isUtf8 } from 'node:buffer'
import { refusals } from '@sluice/contract'
import { refusalOf, tooManyValues } from '@sluice/server/interface/schemas/check'
import { type ConfigKind, schemaOf } from '@sluice/server/interface/schemas/configs'
import { hasTooManyValues } from '@sluice/server/platform/http/body'
import { type Placed, SourceText } from './document.ts'
import { mostBytes } from './files.ts'

type Checked = {
  kind?: ConfigKind
  faults: Placed[]
  /** Why it is not looked at; of what is named, that is a fault. */
  otherwise?: string
}

const passedOver = (otherwise: string): Checked => ({ faults: [], otherwise })

/** What is wrong with a file, and as what it was checked. Of files that were not named, only configs are looked at. */
export async function checkBytes(bytes: Buffer, isNamed: boolean): Promise<Checked> {
  const tooMuch = excessOf(bytes)
  if (tooMuch) return isNamed ? { faults: [tooMuch] } : passedOver('is too long')
  const text = textOf(bytes)
  if (!isNamed && !mayBeConfig(text)) return passedOver(neither)
  const source = new SourceText(text)
  const kind = kindOf(source)
  if (!kind && !isNamed) return passedOver(neither)
  const unread = unreadable(bytes, text, source)
  const faults = unread ? [unread] : await faultsOf(source, kind)
  return { ...(kind && { kind }), faults }
}

async function faultsOf(source: SourceText, kind: ConfigKind | undefined): Promise<Placed[]> {
  const read = source.read()
  if ('faults' in read) return read.faults
  if (!kind) return [source.at(0, 'unknown-kind', `The file ${neither}. ${howToTell}`)]
  const refusal = await refusalOf(kind, read.config)
  if (!refusal) return []
  return refusal.faults.map((line) => source.placed(refusals[refusal.key].code, line))
}

const neither = 'is neither a module nor a pipeline'
const howToTell = 'A pipeline has `steps` at its root, a module has `inputs`, which may be an empty list.'

/** What would take long to read, and longer than the service would. */
function excessOf(bytes: Buffer): Placed | undefined {
  const { code } = refusals.bodyTooLarge
  if (bytes.length > mostBytes) {
    return { line: 1, column: 1, code, message: `expected at most ${mostBytes} bytes, 4 MiB as JSON, it has more` }
  }
  return hasTooManyValues(bytes) ? { line: 1, column: 1, code, message: tooManyValues } : undefined
}

/** As well as it can be read, so that a config in another encoding is recognized. */
function textOf(bytes: Buffer): string {
  const order = byteOrderOf(bytes)
  const text = order ? new TextDecoder(order).decode(bytes) : bytes.toString()
  // Editors do not count the mark, either.
  return text.replace(/^\ufeff/, '')
}

function byteOrderOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function unreadable(bytes: Buffer, text: string, source: SourceText): Placed | undefined {
  if (byteOrderOf(bytes)) return source.at(0, 'not-text', 'The file is UTF-16. Save it as UTF-8.')
  if (!isUtf8(bytes)) return source.at(text.indexOf('\ufffd'), 'not-text', 'This is not UTF-8. Save the file as UTF-8.')
  const nul = text.indexOf('\0')
  return nul === -1
    ? undefined
    : source.at(nul, 'not-text', 'This is a NUL, which no text has. Save the file as UTF-8.')
}

/** To read a long file of something else would take a while. */
const mayBeConfig = (text: string): boolean => text.includes('steps') || text.includes('inputs')

/** A module is known by its list of inputs, or by having nothing else than modules have. */
function kindOf(source: SourceText): ConfigKind | undefined {
  const names = source.rootNames
  if (names.includes('steps')) return 'pipeline'
  if (!names.includes('inputs')) return undefined
  const { properties = {} } = schemaOf('module') as { properties?: Record<string, unknown> }
  return source.isList('inputs') || names.every((name) => Object.hasOwn(properties, name)) ? 'module' : undefined
}
