import type { InputDefinition } from '../../module-versions/config/schema.ts'

/** Input of a scope. A mapped input has the reference whose instance provides its value. */
export type Declared = { definition: InputDefinition; reference?: Declared }

/** Returns the inputs of a scope in form order, with mapped inputs after their reference. */
export const declaredIn = (definitions: readonly InputDefinition[], reference?: Declared): Declared[] =>
  definitions.flatMap((definition) => {
    const declared: Declared = reference ? { definition, reference } : { definition }
    return [declared, ...declaredIn(definition.mapped_inputs ?? [], declared)]
  })

/** Reports whether an input is only a heading of the form. */
export const isHeading = ({ type }: InputDefinition): boolean => type === 'section' || type === 'divider'

const reference = '$ref:'

/** Returns the definition type that an input refers to, or undefined if it is no reference. */
export const referredType = ({ type }: InputDefinition): string | undefined =>
  type.startsWith(reference) ? type.slice(reference.length) : undefined

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Returns the path of a member, such as `input.port` or `input.rules["a b"]`. */
export const memberPath = (path: string, name: string): string => {
  if (!plainName.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
