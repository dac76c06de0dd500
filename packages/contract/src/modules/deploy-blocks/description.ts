import { type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** Violation of a rule: the path within the block, such as `.strategy.type`, and what must hold there. */
export type RuleFault = { path: string; must: string }

/**
 * Constraint across several parts of a block, which a schema cannot express. Each rule reads as few parts as possible:
 * a version is published before its templates have values, and rules that read a template are checked only at release.
 */
export type Rule<Block> = (block: Block) => RuleFault[]

/** Description of the `deploy` block of a deployment type, shared by publishing, releasing, the API and editors. */
export type DeployBlockDescription<Block = never> = {
  /** Schema of the rendered block, including defaults. null counts as absent. */
  schema: TObject
  rules: readonly Rule<Block>[]
}

export const closed = { additionalProperties: false } as const

/** Returns a schema for non-empty text. */
export const text = (description: string) => Type.String({ minLength: 1, description })

/** Returns a schema for the ARN of `what`. `pattern` matches the part after `arn:PARTITION:`. */
export const arn = (what: string, pattern: string, example: string) =>
  Type.String({ pattern: `^arn:[^:]+:${pattern}`, title: `the ARN of ${what}`, examples: [example] })

/**
 * Returns an optional schema with a default value. Its static type is that of a block with defaults applied, where it
 * is never absent.
 */
export function withDefault<T extends TSchema>(schema: T, value: unknown): T {
  // Copies non-enumerable properties too, because the library uses them to apply defaults.
  const copy: T = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema))
  return Type.Optional(Object.assign(copy, { default: value })) as unknown as T
}

/** Fields of every deploy block. Its inputs and its concurrency are read before rendering. */
export const deployBlock = <P extends TProperties>(type: string, timeoutSeconds: number, parts: P) =>
  Type.Object(
    {
      type: Type.Enum([type], { description: 'Deployment type.' }),
      timeout: withDefault(
        Type.Integer({
          minimum: 60,
          maximum: 2_592_000,
          description: 'Timeout in seconds, excluding pauses and bake times.',
        }),
        timeoutSeconds,
      ),
      ...parts,
    },
    closed,
  )
