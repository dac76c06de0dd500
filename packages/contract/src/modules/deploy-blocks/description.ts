import { type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** What is wrong with a part of a block: its path from the block on, such as `.strategy.type`, and what it must be. */
export type RuleFault = { path: string; must: string }

/**
 * What a schema cannot say of a block, since it takes two of its parts. Each rule reads as little as it needs, and says
 * one thing: a version is published before its templates have values, and a rule that reads one of those is left to the
 * release.
 */
export type Rule<Block> = (block: Block) => RuleFault[]

/** How the `deploy` block of a type is written: once for publishing, releasing, the interface and editors. */
export type DeployBlockDescription<Block = never> = {
  /** Of the block when it is rendered, with what it is where nothing is said. A null counts as absent. */
  schema: TObject
  rules: readonly Rule<Block>[]
}

export const closed = { additionalProperties: false } as const

/** Any text but an empty one. */
export const text = (description: string) => Type.String({ minLength: 1, description })

/** The ARN of `what`, by the pattern of what comes after `arn:PARTITION:`. */
export const arn = (what: string, pattern: string, example: string) =>
  Type.String({ pattern: `^arn:[^:]+:${pattern}`, title: `the ARN of ${what}`, examples: [example] })

/**
 * A part that is `value` where nothing is said. Its static type is that of a block which was filled in: there, it is
 * never absent.
 */
export function otherwise<T extends TSchema>(schema: T, value: unknown): T {
  // Whole, with what the library keeps out of sight: by that it fills blocks in.
  const copy: T = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema))
  return Type.Optional(Object.assign(copy, { default: value })) as unknown as T
}

/** What every deploy block has. Its inputs and its concurrency are read before it is rendered. */
export const deployBlock = <P extends TProperties>(type: string, timeoutSeconds: number, parts: P) =>
  Type.Object(
    {
      type: Type.Enum([type], { description: 'Deployment type.' }),
      timeout: otherwise(
        Type.Integer({
          minimum: 60,
          maximum: 2_592_000,
          description: 'Seconds of work before it is given up; pauses and bake times come on top.',
        }),
        timeoutSeconds,
      ),
      ...parts,
    },
    closed,
  )
