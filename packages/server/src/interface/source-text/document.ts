import { type Document, isAlias, isMap, isScalar, isSeq, parseAllDocuments, parseDocument, type YAMLError } from 'yaml'
import type { FileCode } from './codes.ts'
import { Lines } from './lines.ts'
import { type Looked, look } from './look.ts'
import { nameOf, pairOf, placeOf } from './place.ts'
import { placeInTemplate } from './template-place.ts'

/** Something wrong, and where. */
export type Placed = { line: number; column: number; code: string; message: string }

type Json = Record<string, unknown>

/** More of them only come of the first. */
const mostOfYaml = 20

const otherWords: Partial<Record<YAMLError['code'], string>> = {
  MULTIPLE_DOCS: 'A second document begins here. Give each a file of its own.',
  RESOURCE_EXHAUSTION: 'This is nested too deep. Nest it less.',
  TAB_AS_INDENT: 'This is indented with a tab. Indent with spaces.',
}

const options = { logLevel: 'error', prettyErrors: false, uniqueKeys: false } as const

/** A text of YAML, of which JSON is a part. */
export class SourceText {
  readonly #text: string
  readonly #document: Document
  readonly #lines: Lines
  readonly #looked: Looked

  constructor(text: string, document: Document = parseDocument(text, options)) {
    this.#text = text
    this.#lines = new Lines(text)
    this.#document = document
    this.#looked = look(this.#document)
  }

  /** Each of the documents in a text; those that are empty are none. */
  static allOf(text: string): SourceText[] {
    const documents = parseAllDocuments(text, options)
    const full = documents.filter(({ contents, errors }) => contents !== null || errors.length > 0)
    return full.map((document) => new SourceText(text, document as Document))
  }

  /** What the members of its root are called; none if that is no mapping. */
  get rootNames(): string[] {
    const { contents } = this.#document
    return isMap(contents) ? contents.items.map(({ key }) => nameOf(key)) : []
  }

  /** Whether a member of its root is a list. */
  isList(name: string): boolean {
    return isSeq(this.#resolve(pairOf(this.#document.contents, name)?.value))
  }

  /** What stands in a text of its root. */
  textOf(name: string): string | undefined {
    const node = this.#resolve(pairOf(this.#document.contents, name)?.value)
    return isScalar(node) && typeof node.value === 'string' ? node.value : undefined
  }

  /** What it says, or why it says nothing. */
  read(): { config: Json } | { faults: Placed[] } {
    const { errors } = this.#document
    const tooDeep = errors.filter(({ code }) => code === 'RESOURCE_EXHAUSTION').slice(0, 1)
    const told = tooDeep.length > 0 ? tooDeep : errors
    const faults = [...told.map((error) => this.#ofYaml(error)), ...this.#ofNames(), ...this.#ofAliases()]
    if (faults.length > 0) return { faults: faults.slice(0, mostOfYaml) }
    try {
      return { config: this.#document.toJS() }
    } catch (error) {
      // By this the library says that what the aliases stand for comes to too much.
      if (!(error instanceof ReferenceError)) throw error
      const [first] = this.#looked.aliases.keys()
      const message = 'The aliases multiply beyond measure. Write out what they stand for.'
      return { faults: [this.at(first?.range?.[0] ?? 0, 'malformed-yaml', message)] }
    }
  }

  /** What the service says of the config, a path of the request and a message, at its place. */
  placed(code: string, line: string): Placed {
    const below = line.replace(/^\$(\.data\.config)?/, '')
    const message = below.replace(/^(: |\.)/, '')
    const { name, value, scalar } = placeOf(this.#document.contents, below, (node) => this.#resolve(node))
    const exact = scalar && placeInTemplate(this.#text, scalar, message)
    if (exact) return this.#at(exact.offset, code, exact.message)
    // What should not be there is known by its name.
    return this.#at(/: expected nothing\b/.test(message) ? name : value, code, message)
  }

  /** What is wrong with the file itself. */
  at(offset: number, code: FileCode, message: string): Placed {
    return this.#at(offset, code, message)
  }

  #at(offset: number, code: string, message: string): Placed {
    return { ...this.#lines.placeOf(Math.min(offset, this.#text.length)), code, message }
  }

  #resolve(node: unknown): unknown {
    return isAlias(node) ? this.#looked.aliases.get(node) : node
  }

  #ofYaml({ code, pos: [offset], message }: YAMLError): Placed {
    const words = otherWords[code] ?? `${message}. Nothing else is checked until it is mended.`
    return this.at(offset, 'malformed-yaml', words)
  }

  #ofNames(): Placed[] {
    const message = 'This key stands before already. Keep one of them.'
    return this.#looked.repeated.map(({ range }) => this.at(range?.[0] ?? 0, 'malformed-yaml', message))
  }

  #ofAliases(): Placed[] {
    return [...this.#looked.aliases].flatMap(([{ source, range }, target]) => {
      if (typeof target === 'object') return []
      const words = {
        nothing: `There is no &${source} before this. Write what it stands for first.`,
        itself: `This is a part of &${source} itself, and would never end. Write out what it stands for.`,
      }
      return [this.at(range?.[0] ?? 0, 'malformed-yaml', words[target])]
    })
  }
}
