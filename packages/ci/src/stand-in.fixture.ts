import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'

const folder = join(import.meta.dirname, '..')

type Note = { id: number; body: string; user: { type: string }; author: { id: number } }
type Inputs = Record<string, string>
type Action = { inputs: Record<string, { default?: string }>; runs: { using: string; main: string } }

const ownId = 7

/** Starts a server with the parts of both hosts' APIs that jobs use: ID tokens, and comments of one request. */
export async function startHosts(sign: (audience: string) => Promise<string>) {
  const notes: Note[] = []
  const written: string[] = []
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host')
    const sent = Buffer.concat(await request.toArray()).toString()
    const body = sent === '' ? '' : (JSON.parse(sent) as { body: string }).body
    const answer = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (pathname === '/token') return answer({ value: await sign(searchParams.get('audience') ?? '') })
    if (pathname === '/user') return answer({ id: ownId })
    if (request.method === 'GET') return answer(notes)
    written.push(`${request.method} ${pathname}`)
    const id = Number(pathname.split('/').at(-1))
    const known = request.method === 'POST' ? undefined : notes.find((note) => note.id === id)
    if (known) known.body = body
    else notes.push({ id: notes.length + 1, body, user: { type: 'Bot' }, author: { id: ownId } })
    answer({})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, sign, notes, written, close: () => new Promise((resolve) => server.close(resolve)) }
}

/** Running job: its output so far, how to cancel it, and its result. */
function jobOf(directory: string, command: string, words: string[], env: Record<string, string>) {
  const child = spawn(command, words, { cwd: directory, env: { PATH: process.env.PATH ?? '', ...env } })
  const job = { log: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (job.log += String(bytes)))
  const ended = once(child, 'close').then(async ([code]) => ({ code: code as number | null, log: job.log }))
  return { job, ended, cancel: () => child.kill('SIGTERM') }
}

async function folderWith(files: Record<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-ci-'))
  const at = (name: string) => join(directory, name)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), text)
  }
  return { directory, at, remove: () => rm(directory, { recursive: true }) }
}

/** Folders of an action and its bundle. */
export type ActionPlace = { described: string; bundles: string }

/** Files of the checkout and the event, by default one of a pull request. */
type Checkout = { files?: Record<string, string>; event?: object }

const ofRequest = { pull_request: { number: 12, head: { sha: 'c0ffee'.repeat(6), repo: { full_name: 'acme/shop' } } } }

/** Runs the action like GitHub's runner, with the inputs, defaults and Node version of its description. */
export async function runAction(
  { described, bundles }: ActionPlace,
  hosts: { url: string },
  given: Inputs,
  { files = {}, event = ofRequest }: Checkout = {},
) {
  const { inputs, runs } = await actionDescription(described)
  if (runs.using !== 'node24') throw new Error(`there is no ${runs.using} here`)
  const unknown = Object.keys(given).filter((name) => !(name in inputs))
  if (unknown.length > 0) throw new Error(`the action takes no ${unknown.join(', ')}`)
  const { directory, at, remove } = await folderWith(files)
  await Promise.all([
    writeFile(at('event'), JSON.stringify(event)),
    ...['output', 'summary'].map((name) => writeFile(at(name), '')),
  ])
  const env: Record<string, string> = {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: hosts.url,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SHA: 'ab'.repeat(20),
    GITHUB_EVENT_PATH: at('event'),
    GITHUB_OUTPUT: at('output'),
    GITHUB_STEP_SUMMARY: at('summary'),
    ACTIONS_ID_TOKEN_REQUEST_URL: `${hosts.url}/token?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'a token of the job',
  }
  for (const [name, { default: usual = '' }] of Object.entries(inputs)) {
    const value = usual === `\${{ github.token }}` ? 'ghs_job' : usual
    env[`INPUT_${name.toUpperCase()}`] = given[name] ?? value
  }
  const { job, ended, cancel } = jobOf(directory, process.execPath, [join(bundles, basename(runs.main))], env)
  const done = ended.then(async ({ code, log }) => {
    const [output, summary] = await Promise.all([readFile(at('output'), 'utf8'), readFile(at('summary'), 'utf8')])
    await remove()
    return { code, log, summary, outputs: outputsIn(output), commands: commandsIn(log) }
  })
  return { job, done, cancel }
}

export const actionDescription = async (described: string): Promise<Action> =>
  parse(await readFile(join(folder, described, 'action.yml'), 'utf8')) as Action

/** Parses the file of outputs. The last of duplicate names counts. */
function outputsIn(text: string): Record<string, string> {
  const found = text.matchAll(/^(\w+)<<(.+)\n([\s\S]*?)\n\2$/gm)
  return Object.fromEntries([...found].map(([, name = '', , value = '']) => [name, value]))
}

/** Returns the lines of a log that the runner interprets as commands; none while commands are stopped. */
function commandsIn(log: string): string[] {
  const commands: string[] = []
  let until: string | undefined
  for (const line of log.split('\n').map((one) => one.trimStart())) {
    if (until !== undefined) until = line === `::${until}::` ? undefined : until
    else if (line.startsWith('::stop-commands::')) until = line.slice('::stop-commands::'.length)
    else if (line.startsWith('::')) commands.push(line)
  }
  return commands
}

export type Component = {
  spec: { inputs: Record<string, { default?: string; description: string }> }
  job: { script: string[]; variables: Record<string, string>; id_tokens: Record<string, { aud: string }> }
}

/** Resolves a component like GitLab: inserts inputs, and rejects missing and unknown ones. */
export async function component(name: string, given: Inputs): Promise<Component> {
  const text = await readFile(join(folder, 'templates', `${name}.yml`), 'utf8')
  const [header, body = ''] = text.split(/^---$/m)
  const { spec } = parse(header ?? '') as Pick<Component, 'spec'>
  const unknown = Object.keys(given).filter((name) => !(name in spec.inputs))
  if (unknown.length > 0) throw new Error(`the component takes no ${unknown.join(', ')}`)
  const inputCalled = (input: string) => {
    const value = given[input] ?? spec.inputs[input]?.default
    if (value === undefined) throw new Error(`the input ${input} is missing`)
    return value
  }
  // Inserted into parsed texts, so that a value of several lines does not change the structure.
  const [job] = Object.values(
    parse(body, (_, value: unknown) => filled(value, inputCalled)) as Record<string, Component['job']>,
  )
  if (job === undefined) throw new Error('the component has no job')
  return { spec, job }
}

const filled = (value: unknown, inputCalled: (name: string) => string): unknown =>
  typeof value === 'string' ? value.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name) => inputCalled(name)) : value

/** Runs the script of a component like GitLab's runner, from the checkout instead of the image. */
export async function runComponent(
  name: string,
  hosts: { url: string; sign(audience: string): Promise<string> },
  given: Inputs,
  { files = {} }: Pick<Checkout, 'files'> = {},
) {
  const { job: described } = await component(name, given)
  const { directory, at, remove } = await folderWith(files)
  const env: Record<string, string> = {
    ...described.variables,
    GITLAB_CI: 'true',
    CI_API_V4_URL: hosts.url,
    CI_PROJECT_ID: '3',
    CI_MERGE_REQUEST_IID: '12',
    CI_MERGE_REQUEST_PROJECT_ID: '3',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '3',
    SLUICE_HOST_TOKEN: 'glpat-masked',
    SLUICE_HOME: join(folder, '..', '..'),
  }
  for (const [token, { aud }] of Object.entries(described.id_tokens)) env[token] = await hosts.sign(aud)
  const { ended } = jobOf(directory, 'sh', ['-ec', described.script.join('\n')], env)
  const { code, log } = await ended
  const report = await readFile(at('sluice.env'), 'utf8').catch(() => '')
  await remove()
  return { code, log, report }
}
