import type { Tool as ShownTool } from '@modelcontextprotocol/sdk/types.js'
import type { Client } from '@sluice/client'
import { type Permission, permissionsOf } from '@sluice/contract'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Structured, type ToolAnswer } from './answer.ts'

/** MCP tool with its input schema and handler. */
export type Tool = {
  name: string
  title: string
  description: string
  input: TObject
  /** Permission that the caller needs in at least one scope to see the tool. */
  needs: Permission
  /** Whether the tool changes something. */
  acts: boolean
  /** Returns the errors of an input, one per line. */
  faultsOf(input: unknown): string[]
  answer(client: Client, input: unknown): Promise<ToolAnswer>
}

type Written<Input extends TObject> = Pick<Tool, 'name' | 'title' | 'description' | 'needs'> & {
  input: Input
  /** Runs the tool with a valid input. */
  answer(client: Client, input: Static<Input>): Promise<ToolAnswer>
}

export const defineReadTool = <Input extends TObject>(tool: Written<Input>): Tool => ({ ...checked(tool), acts: false })
export const defineWriteTool = <Input extends TObject>(tool: Written<Input>): Tool => ({ ...checked(tool), acts: true })

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

/** Returns the description of a tool for a client. */
export const describeTool = ({ name, title, description, input, acts }: Tool): ShownTool => ({
  name,
  title,
  description,
  inputSchema: { ...input },
  outputSchema: { ...Structured },
  annotations: acts
    ? { title, readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }
    : { title, readOnlyHint: true, openWorldHint: false },
})

/** Reports whether every key can use the tool. */
export const isForAll = ({ needs }: Tool): boolean => (permissionsOf.VIEWER as readonly Permission[]).includes(needs)

export const inputOf = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

/** An ID or a name. Rejects characters that would change the path of a URL. */
const plain = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', description })

export const id = (what: string) => plain(`The id of ${what}.`)
export const idOrGivenId = (what: string) =>
  plain(`The id of ${what}, or its givenId where it is the only one called so.`)

export const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 50, description: 'How many, at most; 20 if absent.' }),
)
