import { XMLParser } from 'fast-xml-parser'
import { CloudError } from '../errors.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }
export const escaped = (text: string) => text.replace(/[&<>"\r]/g, (character) => escapes[character] ?? character)

/** Parsed XML: text, or elements by name, with a list for repeated names. */
export type Xml = string | { [name: string]: Xml | Xml[] }
export type XmlElement = { [name: string]: Xml | Xml[] }

// Values stay text: a bucket named 0123 is not a number. Without `htmlEntities`, `&#x0A;` would not be decoded.
const parser = new XMLParser({
  htmlEntities: true,
  ignoreAttributes: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
})

/** Parses a document. White space between elements is ignored. */
export function readXml(text: string): XmlElement {
  try {
    const document: unknown = parser.parse(withoutIndent(text), true)
    if (typeof document === 'object' && document !== null) return document as XmlElement
  } catch {
    // handled below, like a document that is only text
  }
  throw new CloudError('MalformedXML', 'The XML you provided was not well-formed or did not validate.')
}

/** Removes the white space between elements, but not an element's only text. */
const withoutIndent = (text: string): string =>
  text
    .replaceAll(/>\s+<(?!\/)/g, '><')
    .replaceAll(/(<\/[^<>]*>|\/>)\s+(?=<\/)/g, '$1')
    .trim()

/** Returns the children with this name as a list. */
export function children(element: Xml | Xml[] | undefined, name: string): Xml[] {
  const found = isElement(element) ? element[name] : undefined
  if (found === undefined) return []
  return Array.isArray(found) ? found : [found]
}

export const child = (element: Xml | Xml[] | undefined, name: string): Xml | undefined => children(element, name)[0]

/** Returns the text of a child; empty for an empty element. */
export function childText(element: Xml | Xml[] | undefined, name: string): string | undefined {
  const found = child(element, name)
  return typeof found === 'string' ? found : undefined
}

const isElement = (value: Xml | Xml[] | undefined): value is XmlElement =>
  typeof value === 'object' && !Array.isArray(value)

/** Writes elements in order: a list becomes repeated elements, and undefined is omitted. */
export function writeXml(elements: object): string {
  return Object.entries(elements)
    .flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((item) => element(name, item)) : element(name, value),
    )
    .join('')
}

function element(name: string, value: unknown): string {
  if (value === undefined) return ''
  return `<${name}>${content(value)}</${name}>`
}

function content(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? writeXml(value) : escaped(String(value))
}
