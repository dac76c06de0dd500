import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Resource, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js'
import type { Client } from '@sluice/client'
import { resultOf, type ToolAnswer, textOf } from './answer.ts'
import { deploymentWithAll, described } from './tools/deployments.ts'
import { readLog } from './tools/logs.ts'

/** The documentation is in the repository and the packaged command line, but not in images of the service. */
const folders = ['./docs', '../../../docs'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
const docs = folders.find((folder) => existsSync(folder))

export const resourceTemplates: ResourceTemplate[] = [
  {
    uriTemplate: 'sluice://deployments/{id}',
    name: 'deployment',
    title: 'A deployment',
    description: 'Its status and the reasons: events, failure, checks, source and decisions.',
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

/** Returns the documentation pages, if they are installed. */
export async function listResources(): Promise<Resource[]> {
  return [...(await pathsOfPages()).keys()].toSorted().map((name) => ({
    uri: `sluice://docs/${name}`,
    name,
    title: `Documentation: ${name}`,
    mimeType: 'text/markdown',
  }))
}

/** Returns the paths of the pages by their names, which no two pages share. */
async function pathsOfPages(): Promise<ReadonlyMap<string, string>> {
  const files = docs === undefined ? [] : await readdir(docs, { recursive: true })
  return new Map(
    files.filter((file) => file.endsWith('.md')).map((file) => [basename(file, '.md'), join(docs ?? '', file)]),
  )
}

type Content = { mimeType: string; text: string }

/** Reads a resource by URI; returns undefined if it does not exist. */
export async function readerOf(uri: string): Promise<((client: Client) => Promise<Content>) | undefined> {
  const [, page] = /^sluice:\/\/docs\/([\w-]{1,100})$/.exec(uri) ?? []
  const path = page && (await pathsOfPages()).get(page)
  if (path) return async () => ({ mimeType: 'text/markdown', text: await readFile(path, 'utf8') })
  const [, id] = /^sluice:\/\/deployments\/([\w-]{1,100})$/.exec(uri) ?? []
  if (id) return async (client) => quoteAnswer({ says: id, ...described(await deploymentWithAll(client, id)) })
  const [, stepId] = /^sluice:\/\/steps\/([\w-]{1,100})\/log$/.exec(uri) ?? []
  if (stepId) return async (client) => quoteAnswer(await readLog.answer(client, { stepId }))
  return undefined
}

/** Wraps foreign text like the results of tools. */
const quoteAnswer = (answer: ToolAnswer): Content => ({ mimeType: 'text/plain', text: textOf(resultOf(answer)) })
