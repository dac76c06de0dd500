import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ErrorCode, McpError, type Resource, type ResourceTemplate } from '@modelcontextprotocol/sdk/types.js'
import type { Client } from '@sluice/client'
import { refusalOf, resultOf } from './answer.ts'
import { deploymentWithAll, described } from './tools/deployments.ts'
import { readLog } from './tools/logs.ts'

/** They come with the repository and the packed command line, and not with images of the service. */
const folders = ['./docs', '../../../docs'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
const docs = folders.find((folder) => existsSync(folder))

export const resourceTemplates: ResourceTemplate[] = [
  {
    uriTemplate: 'sluice://deployments/{id}',
    name: 'deployment',
    title: 'A deployment',
    description: 'Where it stands and why: its events, failure, checks, source and decisions.',
    mimeType: 'text/plain',
  },
  {
    uriTemplate: 'sluice://steps/{id}/log',
    name: 'step-log',
    title: 'The log of a step',
    description: 'The last lines that a step of a run of a pipeline wrote.',
    mimeType: 'text/plain',
  },
]

/** The pages of the documentation, where they are. */
export async function listResources(): Promise<Resource[]> {
  return (await pages()).map((name) => ({
    uri: `sluice://docs/${name}`,
    name,
    title: `Documentation: ${name}`,
    mimeType: 'text/markdown',
  }))
}

async function pages(): Promise<string[]> {
  const files = docs === undefined ? [] : await readdir(docs)
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted()
}

type Content = { uri: string; mimeType: string; text: string }

export async function readResource(client: Client, uri: string): Promise<Content> {
  const [, page] = /^sluice:\/\/docs\/([\w-]{1,100})$/.exec(uri) ?? []
  if (page && (await pages()).includes(page)) {
    return { uri, mimeType: 'text/markdown', text: await readFile(`${docs}/${page}.md`, 'utf8') }
  }
  const [, deploymentId] = /^sluice:\/\/deployments\/([\w-]{1,100})$/.exec(uri) ?? []
  if (deploymentId)
    return quoted(uri, async () => ({
      says: deploymentId,
      ...described(await deploymentWithAll(client, deploymentId)),
    }))
  const [, stepId] = /^sluice:\/\/steps\/([\w-]{1,100})\/log$/.exec(uri) ?? []
  if (stepId) return quoted(uri, () => readLog.answer(client, { stepId }))
  throw new McpError(notFound, 'There is no such resource.')
}

/** What the protocol's specification has for a resource that is not there. */
const notFound = -32_002

/** The texts of others in it come in a block, as in the answers of tools. */
async function quoted(uri: string, read: () => ReturnType<typeof readLog.answer>): Promise<Content> {
  const [said] = await read().then(
    (answer) => resultOf(answer).content,
    (error: unknown) => {
      throw new McpError(ErrorCode.InternalError, textOf(refusalOf(error).content[0]))
    },
  )
  return { uri, mimeType: 'text/plain', text: textOf(said) }
}

const textOf = (content: object | undefined): string => String(Reflect.get(content ?? {}, 'text') ?? '')
