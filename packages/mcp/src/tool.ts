import type { Tool as ShownTool } from '@modelcontextprotocol/sdk/types.js'
import type { Client } from '@sluice/client'
import { type Permission, permissionsOf } from '@sluice/contract'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type Answer, Structured } from './answer.ts'

/** Something that an agent can ask or do. */
export type Tool = {
  name: string
  title: string
  description: string
  input: TObject
  /** Whoever may not do this somewhere at least is not offered it. */
  needs: Permission
  /** Whether it changes something; else it only reads. */
  acts: boolean
  /** What is wrong with an input, a line each. */
  faultsOf(input: unknown): string[]
  answer(client: Client, input: unknown): Promise<Answer>
}

type Written<Input extends TObject> = Pick<Tool, 'name' | 'title' | 'description' | 'needs'> & {
  input: Input
  /** How it is answered; the input is right. */
  answer(client: Client, input: Static<Input>): Promise<Answer>
}

export const reading = <Input extends TObject>(tool: Written<Input>): Tool => ({ ...checked(tool), acts: false })
export const acting = <Input extends TObject>(tool: Written<Input>): Tool => ({ ...checked(tool), acts: true })

function checked<Input extends TObject>({ answer, ...tool }: Written<Input>): Omit<Tool, 'acts'> {
  let validator: Validator | undefined
  return {
    ...tool,
    faultsOf(input) {
      validator ??= Compile(tool.input) as Validator
      return validator.Check(input) ? [] : validator.Errors(input).map(lineOf)
    },
    answer: (client, input) => answer(client, input as Static<Input>),
  }
}

const lineOf = ({ instancePath, message, params }: { instancePath: string; message: string; params: object }): string =>
  `${instancePath || 'the input'} ${message} ${JSON.stringify(params)}`

/** A tool as a client is told of it. */
export const shown = ({ name, title, description, input, acts }: Tool): ShownTool => ({
  name,
  title,
  description,
  inputSchema: { ...input },
  outputSchema: { ...Structured },
  annotations: acts
    ? { title, readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }
    : { title, readOnlyHint: true, openWorldHint: false },
})

/** Whether everybody who has a key may use it. */
export const isForAll = ({ needs }: Tool): boolean => (permissionsOf.VIEWER as readonly Permission[]).includes(needs)

export const inputOf = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

/** An id, or a name that people gave. Nothing that would lead elsewhere as a part of an address. */
const plain = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', description })

export const id = (what: string) => plain(`The id of ${what}.`)
export const idOrGivenId = (what: string) =>
  plain(`The id of ${what}, or its givenId where it is the only one called so.`)

export const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 50, description: 'How many, at most; 20 if absent.' }),
)
