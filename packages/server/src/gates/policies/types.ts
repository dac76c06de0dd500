/**
 * Type of a value in an expression. There is no `any` type, so that every type error is found before the evaluation.
 */
export type Type = Scalar | 'nothing' | { list: Type } | RecordType

export type Scalar = 'bool' | 'int' | 'double' | 'string' | 'timestamp' | 'duration'

/** Fields by name; a value may lack some, which an expression checks with `has()`. */
export type RecordType = { fields: Readonly<Record<string, Type>> }

/** Represents a stored list of which only the first elements were kept, with the original length. */
export type CutList = { cutFrom: number }

/** Maximum length of lists and texts in expressions. A longer one fails and is never truncated. */
export const maxListLength = 500
export const maxTextLength = 10_000

/** Variables of an expression. */
export type Variables = Readonly<Record<string, Type>>

export const isList = (type: Type): type is { list: Type } => typeof type === 'object' && 'list' in type
export const isRecord = (type: Type): type is RecordType => typeof type === 'object' && 'fields' in type
export const isNumber = (type: Type): type is 'int' | 'double' => type === 'int' || type === 'double'
export const isScalar = (type: Type): type is Scalar => typeof type === 'string' && type !== 'nothing'

/** Returns the common type of two values; undefined if they differ. An empty list matches every list. */
export function common(one: Type, other: Type): Type | undefined {
  if (one === other || other === 'nothing') return one
  if (one === 'nothing') return other
  if (!isList(one) || !isList(other)) return undefined
  const element = common(one.list, other.list)
  return element && { list: element }
}

/** Returns the name of a type for error messages. */
export function nameOf(type: Type): string {
  if (isList(type)) return type.list === 'nothing' ? 'an empty list' : `a list of ${nameOf(type.list)}`
  return isRecord(type) ? `a record of ${Object.keys(type.fields).join(', ')}` : type
}
