import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  parseDocument,
  type YAMLError,
} from 'yaml'
import { mostValues } from '../../platform/http/value-count.ts'
import { analyzeDocument, type DocumentAnalysis, expandedCount } from './analyze.ts'
import type { FileCode } from './codes.ts'
import { Lines } from './lines.ts'
import { mergeSources, nameOf, pairOf, sourcePositionOf } from './place.ts'
import { placeInTemplate } from './template-place.ts'

/** Error with its position. */
export type PositionedProblem = { line: number; column: number; code: string; message: string }

type Json = Record<string, unknown>

/** Maximum number of syntax errors, because later ones usually result from the first. */
const maxSyntaxErrors = 20

const otherWords: Partial<Record<YAMLError['code'], string>> = {
  MULTIPLE_DOCS: 'A second document begins here. Use a separate file for each.',
  RESOURCE_EXHAUSTION: 'This is nested too deep. Nest it less.',
  TAB_AS_INDENT: 'This is indented with a tab. Indent with spaces.',
}

const options = { logLevel: 'error', prettyErrors: false, uniqueKeys: false, merge: true } as const

/** Text in YAML, which includes JSON. */
export class SourceText {
  readonly #text: string
  readonly #document: Document
  readonly #lines: Lines
  readonly #looked: DocumentAnalysis

  constructor(text: string, document: Document = parseDocument(text, options)) {
    this.#text = text
    this.#lines = new Lines(text)
    this.#document = document
    this.#looked = analyzeDocument(this.#document)
  }

  /** Returns each document of a text, without empty ones. */
  static allOf(text: string): SourceText[] {
    const documents = parseAllDocuments(text, options)
    const full = documents.filter(({ contents, errors }) => contents !== null || errors.length > 0)
    return full.map((document) => new SourceText(text, document as Document))
  }

  /** Returns the names of the root's members; empty if the root is not a mapping. */
  get rootNames(): string[] {
    const { contents } = this.#document
    return isMap(contents) ? contents.items.map(({ key }) => nameOf(key)) : []
  }

  /** Reports whether a member of the root is a list. */
  isList(name: string): boolean {
    return isSeq(this.#resolve(this.#pairOf(name)?.value))
  }

  /** Returns the text of a member of the root. */
  textOf(name: string): string | undefined {
    const node = this.#resolve(this.#pairOf(name)?.value)
    return isScalar(node) && typeof node.value === 'string' ? node.value : undefined
  }

  /** Parses the text; returns its value or its errors. */
  read(): { config: Json } | { faults: PositionedProblem[] } {
    const { errors } = this.#document
    const tooDeep = errors.filter(({ code }) => code === 'RESOURCE_EXHAUSTION').slice(0, 1)
    const told = tooDeep.length > 0 ? tooDeep : errors
    const ofYaml = told.map((error) => this.#ofYaml(error))
    const faults = [...ofYaml, ...this.#ofNames(), ...this.#ofAliases(), ...this.#ofMerges()]
    if (faults.length > 0) return { faults: faults.slice(0, maxSyntaxErrors) }
    const [first] = this.#looked.aliases.keys()
    if (first && expandedCount(this.#document.contents, this.#resolve) > mostValues) {
      const message = `The aliases expand to more than ${mostValues} values. Replace them with their values.`
      return { faults: [this.at(first.range?.[0] ?? 0, 'malformed-yaml', message)] }
    }
    return { config: this.#document.toJS({ maxAliasCount: -1 }) }
  }

  /** Returns an error of the service, which begins with a path of the request, with its position in the text. */
  placed(code: string, line: string): PositionedProblem {
    const below = line.replace(/^\$(\.data\.config)?/, '')
    const message = below.replace(/^(: |\.)/, '')
    const { name, value, scalar } = sourcePositionOf(this.#document.contents, below, this.#resolve)
    const exact = scalar && placeInTemplate(this.#text, scalar, message)
    if (exact) return this.#at(exact.offset, code, exact.message)
    // An unexpected member is marked at its name.
    return this.#at(/: (unknown (property|input)|not allowed)\b/.test(message) ? name : value, code, message)
  }

  /** Returns an error of the file itself. */
  at(offset: number, code: FileCode, message: string): PositionedProblem {
    return this.#at(offset, code, message)
  }

  #at(offset: number, code: string, message: string): PositionedProblem {
    return { ...this.#lines.placeOf(Math.min(offset, this.#text.length)), code, message }
  }

  readonly #resolve = (node: unknown): unknown => (isAlias(node) ? this.#looked.aliases.get(node) : node)

  #pairOf(name: string): Pair | undefined {
    return pairOf(this.#document.contents, name, this.#resolve)
  }

  #ofYaml({ code, pos: [offset], message }: YAMLError): PositionedProblem {
    const words = otherWords[code] ?? `${message}. Nothing else is checked until it is mended.`
    return this.at(offset, 'malformed-yaml', words)
  }

  #ofNames(): PositionedProblem[] {
    const message = 'This key is a duplicate. Keep one of them.'
    return this.#looked.repeated.map(({ range }) => this.at(range?.[0] ?? 0, 'malformed-yaml', message))
  }

  #ofAliases(): PositionedProblem[] {
    return [...this.#looked.aliases].flatMap(([{ source, range }, target]) => {
      if (typeof target === 'object') return []
      const words = {
        nothing: `There is no &${source} before this. Define it first.`,
        itself: `This is a part of &${source} itself, and would never end. Replace it with its value.`,
      }
      return [this.at(range?.[0] ?? 0, 'malformed-yaml', words[target])]
    })
  }

  #ofMerges(): PositionedProblem[] {
    const wrong = this.#looked.merges.filter(({ value }) => !mergeSources(value, this.#resolve).every(isMap))
    const message = 'Only mappings can be merged by <<: name one, such as <<: *defaults, or a list of them.'
    return wrong.map(({ key }) => this.at((key as Node).range?.[0] ?? 0, 'malformed-yaml', message))
  }
}
