/** What a value of an expression is. There is no type of anything: whatever is wrong is seen before it is evaluated. */
export type Type = Scalar | 'nothing' | { list: Type } | RecordType

export type Scalar = 'bool' | 'int' | 'double' | 'string' | 'timestamp' | 'duration'

/** Fields by their names; a value may lack some of them, for which an expression asks by `has()`. */
export type RecordType = { fields: Readonly<Record<string, Type>> }

/** Stands for a list of which only the first elements are stored: how many there were. */
export type CutList = { cutFrom: number }

/** Of a list that an expression sees, and of a text that it sees or makes. Beyond, it fails: nothing is cut off. */
export const longestList = 500
export const longestText = 10_000

/** The variables of an expression. */
export type Variables = Readonly<Record<string, Type>>

export const isList = (type: Type): type is { list: Type } => typeof type === 'object' && 'list' in type
export const isRecord = (type: Type): type is RecordType => typeof type === 'object' && 'fields' in type
export const isNumber = (type: Type): type is 'int' | 'double' => type === 'int' || type === 'double'
export const isScalar = (type: Type): type is Scalar => typeof type === 'string' && type !== 'nothing'

/** The type that both are of; undefined where they differ. An empty list is one of everything. */
export function common(one: Type, other: Type): Type | undefined {
  if (one === other || other === 'nothing') return one
  if (one === 'nothing') return other
  if (!isList(one) || !isList(other)) return undefined
  const element = common(one.list, other.list)
  return element && { list: element }
}

/** For people. */
export function nameOf(type: Type): string {
  if (isList(type)) return type.list === 'nothing' ? 'an empty list' : `a list of ${nameOf(type.list)}`
  return isRecord(type) ? `a record of ${Object.keys(type.fields).join(', ')}` : type
}
