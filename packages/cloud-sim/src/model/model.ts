import { readFileSync } from 'node:fs'

/** What a value must be, as the cloud's own description has it. Written by `models/generate.sh`. */
export interface Shape {
  type: string
  members?: Record<string, Member>
  required?: string[]
  /** Of a list its items, of a map its keys and values. */
  member?: Member
  key?: Member
  value?: Member
  enum?: string[]
  min?: number
  max?: number
  pattern?: string
  flattened?: boolean
  /** The member that is the body itself. */
  payload?: string
}

/** A shape by its name, with where it travels and under which name where that is not as usual. */
export type Member = string | MemberAt
interface MemberAt {
  shape: string
  location?: string
  locationName?: string
  flattened?: boolean
}

interface OperationModel {
  input?: string
  output?: string
  /** `PUT /{Bucket}/{Key+}`. */
  http?: string
  /** The root of an XML body whose elements are members of the input themselves. */
  root?: string
}

/** The description of a service, as far as it is simulated. */
export interface Model {
  /** The version of the interface, which requests in forms name. */
  version: string
  /** What stands before the operation in the header `x-amz-target`. */
  target?: string
  operations: Record<string, OperationModel>
  /**
   * The operations that are not simulated. Those of REST services have their address, and the names of the query and of
   * the headers that they require: `UploadPartCopy PUT /{Bucket}/{Key+} partNumber uploadId x-amz-copy-source:`.
   */
  others: string[]
  shapes: Record<string, Shape>
}

/** Reads a `*.model.json` that lies beside the module whose `import.meta.url` is given. */
export const readModel = (file: string, beside: string): Model =>
  JSON.parse(readFileSync(new URL(file, beside), 'utf8')) as Model

export const memberAt = (member: Member): MemberAt => (typeof member === 'string' ? { shape: member } : member)

export function shapeOf(model: Model, member: Member): Shape {
  const { shape: name } = memberAt(member)
  const shape = model.shapes[name]
  if (!shape) throw new Error(`The model has no shape ${name}.`)
  return shape
}

const patterns = new Map<string, RegExp>()

/** A pattern holds for the whole text. Some are written for a parser that lets needless escapes pass. */
export function fits(pattern: string, text: string): boolean {
  const known = patterns.get(pattern)
  if (known) return known.test(text)
  const whole = `^(?:${pattern})$`
  let compiled: RegExp
  try {
    compiled = new RegExp(whole, 'u')
  } catch {
    compiled = new RegExp(whole)
  }
  patterns.set(pattern, compiled)
  return compiled.test(text)
}
