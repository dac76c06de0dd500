import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto'
import type { GitHostAApp } from '../githosta-tokens.ts'
import { exampleApp, fillExample, modelOfA } from './githosta-model.fixture.ts'
import { type FakeAnswer, type FakeRequest, match, pageOf, startFakeHost } from './http.fixture.ts'
import { type ServedRepository, serveGit } from './smart-http.fixture.ts'

export interface RepositoryAtA {
  id: number
  name: string
  isPrivate: boolean
  branches: string[]
  /** Commit of each branch, where a test needs it. */
  heads?: Record<string, string>
  tags?: string[]
  commits?: string[]
  /** Differences between two commits, by `from...to`. */
  comparisons?: Record<string, { status: string; files: { filename: string }[] }>
  /** Former names, which the host redirects. */
  formerNames?: string[]
  tree?: Record<string, string | Buffer>
  /** Files by path at a commit, where they differ from `tree`. */
  trees?: Record<string, Record<string, string | Buffer>>
  /** Ids of the installations with access. */
  installations: number[]
  /** Real repository on disk to clone. */
  git?: ServedRepository
}

export interface PersonAtA {
  id: number
  /** Installations that the person can access. */
  installations: number[]
  /** The person's role in each organization. */
  organizations: Record<string, 'admin' | 'member'>
}

export interface CommentAtA {
  id: number
  /** Number of the pull request. */
  number: number
  body: unknown
  performed_via_github_app?: { id: number } | null
  user?: { login: string; type: string }
}

/** GitHub deployment as the fake stores it. */
export interface DeploymentAtA {
  id: number
  repository: number
  sha: string
  task: unknown
  environment: string
  payload: unknown
  statuses: { id: number; state: string; description: string; log_url: unknown }[]
  [field: string]: unknown
}

/** Check run as the fake stores it. */
export interface CheckAtA {
  id: number
  repository: number
  head_sha: string
  name: string
  external_id: string | null
  status: string
  conclusion: string | null
  details_url: unknown
  output: { title?: string; summary?: string }
  app: { id: number }
  [field: string]: unknown
}

const slug = 'sluice-test'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Returns a comment as GitHub's API does, with the complete app or null. */
function shown({ number: _, performed_via_github_app: by, ...comment }: CommentAtA) {
  return { ...comment, performed_via_github_app: by ? fillExample(exampleApp, by) : null }
}

/** Encodes content in base64 with line breaks, as GitHub does. */
const inLines = (content: Buffer) => content.toString('base64').replaceAll(/.{60}/g, '$&\n')

/** Starts a fake GitHub, modelled on its documentation, with one app. */
export async function startFakeGitHostA() {
  const app: GitHostAApp = {
    id: '1234',
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(), // the format of a downloaded key
    clientId: 'Iv1.fake',
    clientSecret: 'the secret of the app',
    webhookSecret: 'the secret of the webhook',
  }
  const repositories: RepositoryAtA[] = []
  const installations = new Map<number, { login: string; id: number; type: 'User' | 'Organization' }>()
  /** People who authorize the app, by OAuth code. */
  const people = new Map<string, PersonAtA>()
  const statuses: { commit: string; [field: string]: unknown }[] = []
  const comments: CommentAtA[] = []
  const pulls: {
    number: number
    state: string
    head: { ref: string; sha: string }
    title?: string
    merged_at?: string | null
  }[] = []
  const files: { filename: string; previous_filename?: string }[] = []
  const deployments: DeploymentAtA[] = []
  /** Repositories whose installation lacks the permission for deployments. */
  const withoutDeployments = new Set<number>()
  const checks: CheckAtA[] = []
  /** Repositories whose installation lacks the permission for check runs. */
  const withoutChecks = new Set<number>()
  /** Scope and expiry of each issued token. */
  const tokens = new Map<string, { installation: number; ids: number[]; expiresAt: number; permissions: unknown }>()
  let tokenLifeMs = 3_600_000
  let aheadMs = 0
  /** Whether comments name the app that wrote them. */
  let tellsApps = true
  const model = modelOfA('/api/v3')
  const now = () => Date.now() + aheadMs

  const notFound: FakeAnswer = {
    status: 404,
    body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' },
  }
  const badCredentials: FakeAnswer = {
    status: 401,
    body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' },
  }

  function isApp({ headers }: FakeRequest): boolean {
    const [head, claims, signature] = (headers.authorization ?? '').replace('Bearer ', '').split('.')
    if (!head || !claims || !signature) return false
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const seconds = now() / 1_000
    const isRight = iss === app.id && iat < seconds && exp > seconds && exp - iat <= 660
    const signed = Buffer.from(`${head}.${claims}`)
    return (
      isRight &&
      verify(
        'RSA-SHA256',
        signed,
        createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        Buffer.from(signature, 'base64url'),
      )
    )
  }

  function mint(
    installation: number,
    { repository_ids: ids, repositories: names, permissions }: Record<string, unknown>,
  ): FakeAnswer {
    if (!installations.has(installation)) return notFound
    const seen = repositories.filter((one) => one.installations.includes(installation))
    const wanted = (ids ?? names ?? seen.map(({ id }) => id)) as (number | string)[]
    const found = wanted.map(
      (wish) =>
        seen.find(({ id, name }) => id === wish || name.split('/')[1]?.toLowerCase() === String(wish).toLowerCase())
          ?.id,
    )
    if (found.includes(undefined)) {
      return {
        status: 422,
        body: {
          message:
            'There is at least one repository that does not exist or is not accessible to the parent installation.',
        },
      }
    }
    const token = `ghs_${randomBytes(18).toString('hex')}`
    const expiresAt = now() + tokenLifeMs
    tokens.set(token, { installation, ids: found as number[], expiresAt, permissions })
    return { status: 201, body: { token, expires_at: new Date(expiresAt).toISOString() } }
  }

  /** Returns the error response if the request may not access the repository. */
  function rejectionFor(authorization: string | undefined, repository: RepositoryAtA): FakeAnswer | undefined {
    if (authorization === undefined) return repository.isPrivate ? notFound : undefined
    const token = tokens.get(authorization.replace('Bearer ', ''))
    if (!token || token.expiresAt < now() || !installations.has(token.installation)) return badCredentials
    return token.ids.includes(repository.id) && repository.installations.includes(token.installation)
      ? undefined
      : notFound
  }

  function list(request: FakeRequest, all: unknown[]): FakeAnswer {
    const { items, page, last, size } = pageOf(all, request.query)
    const to = (number: number, rel: string) =>
      `<${host.url}${request.path}?per_page=${size}&page=${number}>; rel="${rel}"`
    const links = page < last ? [to(page + 1, 'next'), to(last, 'last')] : [to(1, 'first')]
    return { status: 200, headers: { link: links.join(', ') }, body: items }
  }

  function answer(request: FakeRequest): FakeAnswer {
    const { body, headers } = request
    const minting = match('POST /api/v3/app/installations/:id/access_tokens', request)
    if (minting) return isApp(request) ? mint(Number(minting.id), body) : badCredentials
    if (match('GET /api/v3/app', request)) {
      return isApp(request)
        ? { status: 200, body: { id: Number(app.id), slug, html_url: `${host.url}/apps/${slug}` } }
        : badCredentials
    }
    if (match('POST /login/oauth/access_token', request)) {
      const isOurs = body.client_id === app.clientId && body.client_secret === app.clientSecret
      const error = { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
      if (!isOurs || !people.has(String(body.code))) return { status: 200, body: error }
      return { status: 200, body: { access_token: `ghu_${body.code}`, token_type: 'bearer', scope: '' } }
    }
    const person = people.get((headers.authorization ?? '').replace('Bearer ghu_', ''))
    if (match('GET /api/v3/user', request)) return person ? { status: 200, body: { id: person.id } } : badCredentials
    if (match('GET /api/v3/user/installations', request)) {
      if (!person) return badCredentials
      const all = person.installations.map((id) => ({ id, account: installations.get(id) }))
      return { status: 200, body: { total_count: all.length, installations: pageOf(all, request.query).items } }
    }
    const membership = match('GET /api/v3/user/memberships/orgs/:login', request)
    if (membership) {
      const role = person?.organizations[membership.login ?? '']
      return role ? { status: 200, body: { state: 'active', role } } : notFound
    }
    if (match('GET /api/v3/installation/repositories', request)) {
      const token = tokens.get((headers.authorization ?? '').replace('Bearer ', ''))
      if (!token || !installations.has(token.installation)) return badCredentials
      const all = repositories.filter((one) => one.installations.includes(token.installation)).map(shownRepository)
      const { body: page, ...rest } = list(request, all)
      return { ...rest, body: { total_count: all.length, repositories: page } }
    }
    return inRepository(request)
  }

  function shownRepository({ id, name: full_name, isPrivate, branches }: RepositoryAtA) {
    const visibility = isPrivate ? 'private' : 'public'
    const html_url = `${host.url}/${full_name}`
    return { id, full_name, html_url, private: isPrivate, visibility, default_branch: branches[0] ?? 'main' }
  }

  function commitsBetween({ commits = [] }: RepositoryAtA, range: string, query: URLSearchParams): FakeAnswer {
    const [from = -1, to = -1] = range.split('...').map((one) => commits.indexOf(decodeURIComponent(one)))
    if (from < 0 || to < 0) return notFound
    const between = commits.slice(from + 1, to + 1).map((sha) => ({
      sha,
      html_url: `${host.url}/commit/${sha}`,
      commit: { message: `Change ${sha}`, author: { name: 'Ada' }, committer: { date: '2026-01-02T03:04:05Z' } },
    }))
    return { status: 200, body: { total_commits: between.length, commits: pageOf(between, query).items, files } }
  }

  function contents({ tree: usual = {}, trees = {} }: RepositoryAtA, path: string, ref: string | null): FakeAnswer {
    if (ref === 'nowhere') return notFound
    const tree = trees[ref ?? ''] ?? usual
    const file = tree[path]
    if (file !== undefined) {
      const content = Buffer.from(file)
      const isShown = content.length <= 1_048_576
      const encoding = isShown ? 'base64' : 'none'
      return {
        status: 200,
        body: { type: 'file', path, size: content.length, encoding, content: isShown ? inLines(content) : '' },
      }
    }
    const below = path === '' ? '' : `${path}/`
    const inside = Object.keys(tree).flatMap((one) => (one.startsWith(below) ? [one.slice(below.length)] : []))
    if (inside.length === 0) return notFound
    const entries = [...new Set(inside.map((one) => one.split('/')[0] ?? ''))].map((name) => {
      const url = `${host.url}/${name}`
      const links = { url, html_url: url, git_url: url, download_url: url, _links: { self: url, git: url, html: url } }
      const type = tree[`${below}${name}`] === undefined ? 'dir' : 'file'
      return { name, type, size: 0, path: `${below}${name}`, sha: 'a'.repeat(40), ...links }
    })
    return { status: 200, body: entries }
  }

  const shownDeployment = ({ statuses: _, repository: __, ...one }: DeploymentAtA) => one

  function deploy({ id: repository, commits, branches }: RepositoryAtA, body: Record<string, unknown>): FakeAnswer {
    const { ref, task = 'deploy', environment = 'production', payload = {} } = body
    const names = commits && [...commits, ...branches]
    if (names && !names.includes(String(ref))) {
      return { status: 422, body: { message: `No ref found for: ${ref}`, status: '422' } }
    }
    if (String(environment).length > 255) {
      const errors = [{ resource: 'Deployment', code: 'invalid', field: 'environment' }]
      return { status: 422, body: { message: 'Validation Failed', errors } }
    }
    const { auto_merge: _, required_contexts: __, ...shown } = body
    const place = { repository, sha: String(ref), task, environment: String(environment), payload }
    const made: DeploymentAtA = { ...shown, ...place, id: deployments.length + 1, statuses: [] }
    deployments.push(made)
    return { status: 201, body: shownDeployment(made) }
  }

  /** Handles requests for deployments in a repository. Returns undefined for other requests. */
  function releases(inside: FakeRequest, repository: RepositoryAtA): FakeAnswer | undefined {
    if (!inside.path.startsWith('/deployments')) return undefined
    if (withoutDeployments.has(repository.id)) {
      return { status: 403, body: { message: 'Resource not accessible by integration', status: '403' } }
    }
    if (match('POST /deployments', inside)) return deploy(repository, inside.body)
    const ofRepository = deployments.filter((one) => one.repository === repository.id)
    if (match('GET /deployments', inside)) {
      const isWanted = (one: DeploymentAtA) =>
        ['sha', 'task', 'environment'].every((name) => (inside.query.get(name) ?? one[name]) === one[name])
      return list(inside, ofRepository.filter(isWanted).toReversed().map(shownDeployment))
    }
    const asked = match(`${inside.method} /deployments/:id/statuses`, inside)
    const deployment = ofRepository.find(({ id }) => id === Number(asked?.id))
    if (!deployment) return notFound
    if (inside.method === 'GET') return list(inside, deployment.statuses.toReversed())
    const { state, description = '', log_url = '' } = inside.body
    const status = {
      id: deployment.statuses.length + 1,
      state: String(state),
      description: String(description),
      log_url,
    }
    deployment.statuses.push(status)
    return { status: 201, body: status }
  }

  const shownCheck = ({ repository: _, ...one }: CheckAtA) => one

  function changeCheck(check: CheckAtA, { conclusion, ...body }: Record<string, unknown>): FakeAnswer | undefined {
    if (body.status === 'completed' && conclusion === undefined) {
      const message = 'Invalid request.\n\nFor \'properties/status\', "completed" is not in the list of allowed values.'
      return { status: 422, body: { message, status: '422' } }
    }
    // A conclusion implies the status `completed`.
    const status = String(conclusion === undefined ? (body.status ?? check.status) : 'completed')
    Object.assign(check, { ...body, status, conclusion: conclusion ?? null })
    return undefined
  }

  /** Handles requests for check runs in a repository. Returns undefined for other requests. */
  function checkRuns(inside: FakeRequest, repository: RepositoryAtA): FakeAnswer | undefined {
    const listed = match('GET /commits/:ref/check-runs', inside)
    if (!listed && !inside.path.startsWith('/check-runs')) return undefined
    if (withoutChecks.has(repository.id)) {
      return { status: 403, body: { message: 'Resource not accessible by integration', status: '403' } }
    }
    const ofRepository = checks.filter((one) => one.repository === repository.id)
    if (listed) {
      const name = inside.query.get('check_name')
      const named = ofRepository.filter((one) => one.head_sha === listed.ref && one.name === (name ?? one.name))
      // By default, GitHub lists only the latest check run of each name.
      const isLast = (one: CheckAtA) => named.findLast((other) => other.name === one.name) === one
      const asked = inside.query.get('filter') === 'all' ? named : named.filter(isLast)
      const { body, ...rest } = list(inside, asked.toReversed().map(shownCheck))
      return { ...rest, body: { total_count: asked.length, check_runs: body } }
    }
    if (match('POST /check-runs', inside)) {
      const { name, head_sha: sha, external_id = null } = inside.body
      if (repository.commits && !repository.commits.includes(String(sha))) {
        return { status: 422, body: { message: `No commit found for SHA: ${sha}`, status: '422' } }
      }
      const id = checks.length + 1
      const place = { id, repository: repository.id, head_sha: String(sha), name: String(name) }
      const fresh = { status: 'queued', conclusion: null, details_url: null, output: {}, app: { id: Number(app.id) } }
      const made: CheckAtA = { ...fresh, ...place, external_id: external_id as string | null }
      const refused = changeCheck(made, inside.body)
      if (refused) return refused
      checks.push(made)
      return { status: 201, body: shownCheck(made) }
    }
    const changed = match('PATCH /check-runs/:id', inside)
    const check = ofRepository.find(({ id }) => id === Number(changed?.id))
    if (!check) return notFound
    // Only the app that created a check run may change it.
    if (check.app.id !== Number(app.id)) return { status: 403, body: { message: 'Invalid app_id' } }
    return changeCheck(check, inside.body) ?? { status: 200, body: shownCheck(check) }
  }

  function inRepository(request: FakeRequest): FakeAnswer {
    const { path, body } = request
    const [, name = '', rest = ''] = /^\/api\/v3\/repos\/([^/]+\/[^/]+)(.*)$/.exec(path) ?? []
    const repository = repositories.find((one) => one.name.toLowerCase() === name.toLowerCase())
    const renamed = repositories.find(({ formerNames }) => formerNames?.includes(name))
    if (!repository && renamed) {
      const location = `${host.url}/api/v3/repos/${renamed.name}${rest}`
      return { status: 301, headers: { location }, body: { message: 'Moved Permanently', url: location } }
    }
    if (!repository) return notFound
    const rejection = rejectionFor(request.headers.authorization, repository)
    if (rejection) return rejection
    const inside = { ...request, path: rest }
    if (rest === '') return { status: 200, body: shownRepository(repository) }
    if (match('GET /tags', inside)) {
      const { tags = [] } = repository
      return list(
        request,
        tags.map((one) => ({ name: one, commit: { sha: 'b'.repeat(40) } })),
      )
    }
    if (rest.startsWith('/contents/')) {
      return contents(repository, decodeURIComponent(rest.slice('/contents/'.length)), request.query.get('ref'))
    }
    if (match('GET /branches', inside)) {
      return list(
        request,
        repository.branches.map((one) => {
          const sha = repository.heads?.[one] ?? 'a'.repeat(40)
          return { name: one, commit: { sha }, protected: false }
        }),
      )
    }
    if (rest.startsWith('/compare/')) {
      const range = rest.slice('/compare/'.length)
      const comparison = repository.comparisons?.[range]
      if (comparison) return { status: 200, body: comparison }
      if (repository.commits) return commitsBetween(repository, range, request.query)
      return { status: 200, body: { files } }
    }
    if (match('GET /commits/:sha/pulls', inside))
      return { status: 200, body: pulls.map((one) => ({ merged_at: null, ...one })) }
    const told = releases(inside, repository) ?? checkRuns(inside, repository)
    if (told) return told
    const status = match('POST /statuses/:commit', inside)
    if (status) {
      statuses.push({ ...body, commit: status.commit ?? '' })
      return { status: 201, body: { id: statuses.length, ...body } }
    }
    const discussion = match('(GET|POST) /issues/:number/comments', { ...inside, method: '(GET|POST)' })
    if (discussion && request.method === 'GET') {
      return list(request, comments.filter(({ number }) => number === Number(discussion.number)).map(shown))
    }
    if (discussion) {
      const comment = {
        id: comments.length + 1,
        number: Number(discussion.number),
        body: body.body,
        performed_via_github_app: tellsApps ? { id: Number(app.id) } : null,
        user: { login: `${slug}[bot]`, type: 'Bot' },
      }
      comments.push(comment)
      return { status: 201, body: shown(comment) }
    }
    const edited = match('PATCH /issues/comments/:id', inside)
    const comment = comments.find(({ id }) => id === Number(edited?.id))
    if (!comment) return notFound
    comment.body = body.body
    return { status: 200, body: shown(comment) }
  }

  const host = await startFakeHost(
    (request) => model.whole(request, answer(request)),
    (request, response) => {
      const repository = repositories.find(({ name, git }) => git && request.url?.startsWith(`/${name}.git/`))
      if (!repository?.git) return false
      const mayRead = (user: string, password: string) =>
        user === 'x-access-token' && rejectionFor(`Bearer ${password}`, repository) === undefined
      serveGit(request, response, {
        path: `/${repository.name}.git`,
        repository: repository.git,
        isPublic: !repository.isPrivate,
        mayRead,
      })
      return true
    },
  )

  return {
    ...host,
    async close() {
      await host.close()
      if (model.deviations.length > 0) throw new Error(`not as the host describes it:\n${model.deviations.join('\n')}`)
    },
    app,
    repositories,
    installations,
    people,
    statuses,
    comments,
    pulls,
    files,
    deployments,
    withoutDeployments,
    checks,
    withoutChecks,
    tokens,
    hideApps: () => {
      tellsApps = false
    },
    setTokenLife: (ms: number) => {
      tokenLifeMs = ms
    },
    /** Advances the clock of the host. */
    pass: (ms: number) => {
      aheadMs += ms
    },
    clock: () => new Date(now()),
    /** Returns the headers of a webhook delivery, signed as GitHub does. */
    signed(event: string, payload: unknown, delivery: string = crypto.randomUUID(), secret = app.webhookSecret) {
      const json = JSON.stringify(payload)
      const signature = `sha256=${createHmac('sha256', secret).update(json).digest('hex')}`
      const headers = { 'x-github-event': event, 'x-github-delivery': delivery, 'x-hub-signature-256': signature }
      return { json, headers }
    },
  }
}

export type FakeGitHostA = Awaited<ReturnType<typeof startFakeGitHostA>>
