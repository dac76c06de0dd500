// biome-ignore-all lint/style/noRestrictedGlobals: the git host is the one that runs the job.
import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { Comments } from './comment.ts'

/** Features of a CI system that a job uses. */
export type Host = {
  /** Masks a text in the log. */
  hide(secret: string): void
  /** Prints foreign text so that no line is interpreted as a workflow command. */
  show(text: string): void
  /** Passes outputs to later jobs and steps. */
  output(values: Record<string, string>): void
  /** Writes the job summary. */
  summarize(markdown: string): void
  /** Comments of the job's request; undefined if the job has none. */
  comments: Comments | undefined
  /** Whether the request comes from a fork, which anyone can write to. */
  isFromFork: boolean
  /** Commit of the job: for a request, its newest one. Undefined if unknown. */
  commit: Commit | undefined
}

/** Commit with its web page. */
export type Commit = { commit: string; url: string }

export const hostOf = (env: NodeJS.ProcessEnv, token: string): Host =>
  env.GITLAB_CI === 'true' ? gitlab(env, token) : github(env, token)

function github(env: NodeJS.ProcessEnv, token: string): Host {
  const request = pullRequestIn(env)
  const write = (line: string) => void process.stdout.write(`${line}\n`)
  return {
    hide: (secret) => write(`::add-mask::${secret}`),
    show(text) {
      const mark = randomUUID()
      write(`::stop-commands::${mark}\n${text}\n::${mark}::`)
    },
    output(values) {
      const lines = Object.entries(values).map(([name, value]) => {
        const mark = randomUUID() // a random delimiter, because a value can contain any lines
        return `${name}<<${mark}\n${value}\n${mark}\n`
      })
      if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(''))
    },
    summarize: (markdown) => void (env.GITHUB_STEP_SUMMARY && appendFileSync(env.GITHUB_STEP_SUMMARY, `${markdown}\n`)),
    comments: token === '' ? undefined : githubComments(env, request, token),
    isFromFork: request !== undefined && request.head?.repo?.full_name !== env.GITHUB_REPOSITORY,
    commit: commitAt(`${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/commit`, request?.head?.sha ?? env.GITHUB_SHA),
  }
}

const commitAt = (commits: string, commit: string | undefined): Commit | undefined =>
  commit ? { commit, url: `${commits}/${commit}` } : undefined

/** An event of a pull request. The repository of its branch may have been deleted. */
type PullRequest = { number: number; head?: { sha?: string; repo?: { full_name?: string } | null } }

function pullRequestIn({ GITHUB_EVENT_PATH: path }: NodeJS.ProcessEnv): PullRequest | undefined {
  const event: unknown = path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8'))
  const request: unknown = Reflect.get(Object(event), 'pull_request')
  return typeof Reflect.get(Object(request), 'number') === 'number' ? (request as PullRequest) : undefined
}

function githubComments(
  { GITHUB_API_URL: api = 'https://api.github.com', GITHUB_REPOSITORY: repository }: NodeJS.ProcessEnv,
  request: PullRequest | undefined,
  token: string,
): Comments | undefined {
  if (request === undefined || repository === undefined) return undefined
  const { number } = request
  const call = caller({ authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' })
  const base = `${api}/repos/${repository}/issues`
  return {
    async list() {
      const rows = await pages<{ id: number; body?: string; user?: { type?: string } }>((page) =>
        call('GET', `${base}/${number}/comments?per_page=100&page=${page}`),
      )
      return rows.map(({ id, body = '', user }) => ({ id, body, isOurs: user?.type === 'Bot' }))
    },
    add: (body) => call('POST', `${base}/${number}/comments`, { body }),
    change: (id, body) => call('PATCH', `${base}/comments/${id}`, { body }),
  }
}

function gitlab(env: NodeJS.ProcessEnv, token: string): Host {
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  return {
    hide: () => {}, // GitLab masks its own variables
    show: say,
    output(values) {
      const lines = Object.entries(values).map(([name, value]) => `SLUICE_${name.toUpperCase()}=${value}\n`)
      writeFileSync('sluice.env', lines.join(''))
    },
    summarize: say,
    comments: token === '' ? undefined : gitlabComments(env, token),
    isFromFork: env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID !== env.CI_MERGE_REQUEST_PROJECT_ID,
    commit: commitAt(`${env.CI_PROJECT_URL}/-/commit`, env.CI_COMMIT_SHA),
  }
}

function gitlabComments(env: NodeJS.ProcessEnv, token: string): Comments | undefined {
  const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_MERGE_REQUEST_IID: request } = env
  if (!api || !project || !request) return undefined
  const call = caller({ 'private-token': token })
  const base = `${api}/projects/${project}/merge_requests/${request}/notes`
  return {
    async list() {
      const [rows, { id: ownId }] = await Promise.all([
        pages<{ id: number; body: string; author: { id: number } }>((page) =>
          call('GET', `${base}?per_page=100&page=${page}`),
        ),
        call('GET', `${api}/user`) as Promise<{ id: number }>,
      ])
      return rows.map(({ id, body, author }) => ({ id, body, isOurs: author.id === ownId }))
    },
    add: (body) => call('POST', base, { body }),
    change: (id, body) => call('PUT', `${base}/${id}`, { body }),
  }
}

/** Timeout of a request in milliseconds. It must delay neither the release nor the end of a cancelled job. */
const patienceMs = 5_000

const caller =
  (headers: Record<string, string>) =>
  async (method: string, url: string, body?: object): Promise<unknown> => {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(patienceMs),
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`)
    return answer.json()
  }

const maxPages = 20

async function pages<Row>(read: (page: number) => Promise<unknown>): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; page <= maxPages; page += 1) {
    const found = (await read(page)) as Row[]
    rows.push(...found)
    if (found.length < 100) break
  }
  return rows
}
