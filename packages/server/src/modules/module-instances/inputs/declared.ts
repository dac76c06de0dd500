import type { InputDefinition } from '../../module-versions/config/schema.ts'

/** An input of a scope, and the reference whose instance fills it, if it is a mapped one. */
export type Declared = { definition: InputDefinition; reference?: Declared }

/** The inputs of a scope in the order of the form: mapped ones stand beside the others, behind their reference. */
export const declaredIn = (definitions: readonly InputDefinition[], reference?: Declared): Declared[] =>
  definitions.flatMap((definition) => {
    const declared: Declared = reference ? { definition, reference } : { definition }
    return [declared, ...declaredIn(definition.mapped_inputs ?? [], declared)]
  })

/** Whether it is only a heading of the form. */
export const isHeading = ({ type }: InputDefinition): boolean => type === 'section' || type === 'divider'

const reference = '$ref:'

/** The definition type of the instances that an input refers to; undefined if it is no reference. */
export const referredType = ({ type }: InputDefinition): string | undefined =>
  type.startsWith(reference) ? type.slice(reference.length) : undefined

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The path of a member, such as `input.port` or `input.rules["a b"]`. */
export const memberPath = (path: string, name: string): string => {
  if (!plainName.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
