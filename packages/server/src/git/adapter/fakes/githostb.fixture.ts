import { createHash, randomBytes } from 'node:crypto'
import type {
  CommitDiffSchema,
  CommitSchema,
  DeploymentSchema,
  ExpandedUserSchema,
  MergeRequestNoteSchema,
  MergeRequestSchema,
  ProjectSchema,
  RepositoryCompareSchema,
  RepositoryTreeSchema,
  SimpleProjectSchema,
} from '@gitbeaker/core'
import type { OAuthClient } from '../githostb.ts'
import { type FakeAnswer, type FakeRequest, match, pageOf, startFakeHost } from './http.fixture.ts'
import { type ServedRepository, serveGit } from './smart-http.fixture.ts'

export interface ProjectAtB {
  id: number
  name: string
  visibility: 'private' | 'internal' | 'public'
  branches: string[]
  tags?: string[]
  commits?: string[]
  /** Changed paths between two commits by `from..to`, and since their merge base by `from...to`. */
  comparisons?: Record<string, string[]>
  tree?: Record<string, string | Buffer>
  /** Files by path at a commit. */
  trees?: Record<string, Record<string, string | Buffer>>
  /** Commit id of each branch. */
  heads?: Record<string, string>
  /** Ids of users who are members. */
  members: number[]
  /** Ids of members with read-only access. */
  readers?: number[]
  git?: ServedRepository
}

/** Fields of a GitLab response that Sluice reads, with types from a maintained client library. */
type Some<T, Name extends keyof T> = { [N in Name]: T[N] }

/** GitLab deployment as the fake stores it. */
export type DeploymentAtB = Some<DeploymentSchema, 'id' | 'sha' | 'ref' | 'created_at'> & {
  project: number
  status: string
  environment: { id: number; name: string }
  /** CI job that created the deployment. */
  deployable: object | null
}

interface Grant {
  challenge: string
  callbackUrl: string
  userId: number
}

/** Starts a fake GitLab, modelled on its documentation, with one OAuth application. */
export async function startFakeGitHostB() {
  const client: OAuthClient = { clientId: 'application-id', clientSecret: 'application-secret' }
  const projects: ProjectAtB[] = []
  const statuses: { commit: string; [field: string]: unknown }[] = []
  const notes: (Some<MergeRequestNoteSchema, 'id'> & { iid: number; body: unknown; author: { id: number } })[] = []
  const mergeRequests: Some<MergeRequestSchema, 'iid' | 'source_branch' | 'state' | 'sha'>[] = []
  const diffs: Some<CommitDiffSchema, 'old_path' | 'new_path'>[] = []
  const deployments: DeploymentAtB[] = []
  const environments: { id: number; project: number; name: string; state: 'available' | 'stopped' }[] = []
  const codes = new Map<string, Grant>()
  const accessTokens = new Map<string, { userId: number; expiresAt: number }>()
  const refreshTokens = new Map<string, { userId: number; isUsed: boolean }>()
  let tokenLifeSeconds = 7_200

  const notFound: FakeAnswer = { status: 404, body: { message: '404 Project Not Found' } }
  const unauthorized: FakeAnswer = {
    status: 401,
    body: {
      error: 'invalid_token',
      error_description: 'Token is expired. You can either do re-authorization or token refresh.',
    },
  }
  const invalidGrant: FakeAnswer = {
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description:
        'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
    },
  }

  function issue(userId: number): FakeAnswer {
    const [access, refresh] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
    accessTokens.set(access, { userId, expiresAt: Date.now() + tokenLifeSeconds * 1_000 })
    refreshTokens.set(refresh, { userId, isUsed: false })
    const token = { access_token: access, token_type: 'Bearer', expires_in: tokenLifeSeconds, refresh_token: refresh }
    return { status: 200, body: { ...token, scope: 'api', created_at: Math.floor(Date.now() / 1_000) } }
  }

  function token({ body }: FakeRequest): FakeAnswer {
    if (body.client_id !== client.clientId || body.client_secret !== client.clientSecret) {
      return { status: 401, body: { error: 'invalid_client', error_description: 'Client authentication failed.' } }
    }
    if (body.grant_type === 'refresh_token') {
      const known = refreshTokens.get(String(body.refresh_token))
      if (!known || known.isUsed) return invalidGrant
      known.isUsed = true
      return issue(known.userId)
    }
    const grant = codes.get(String(body.code))
    codes.delete(String(body.code))
    const challenge = createHash('sha256').update(String(body.code_verifier)).digest('base64url')
    if (!grant || grant.challenge !== challenge || grant.callbackUrl !== body.redirect_uri) return invalidGrant
    return issue(grant.userId)
  }

  /** Returns the user of the request: 0 if anonymous, undefined for an invalid token. */
  function userOf(authorization: string | undefined): number | undefined {
    if (authorization === undefined) return 0
    const known = accessTokens.get(authorization.replace('Bearer ', ''))
    return known && known.expiresAt > Date.now() ? known.userId : undefined
  }

  const maySee = ({ visibility, members }: ProjectAtB, userId: number) =>
    visibility === 'public' || (visibility === 'internal' && userId > 0) || members.includes(userId)

  function list(request: FakeRequest, all: unknown[]): FakeAnswer {
    const { items, page, last, size } = pageOf(all, request.query)
    const headers = {
      'x-page': String(page),
      'x-next-page': page < last ? String(page + 1) : '',
      'x-per-page': String(size),
      // GitLab omits totals for more than 10,000 items.
      ...(all.length <= 10_000 && { 'x-total': String(all.length), 'x-total-pages': String(last) }),
    }
    return { status: 200, headers, body: items }
  }

  function answer(request: FakeRequest): FakeAnswer {
    if (match('POST /oauth/token', request)) return token(request)
    const userId = userOf(request.headers.authorization)
    if (userId === undefined) return unauthorized
    if (match('GET /api/v4/user', request)) {
      return userId === 0
        ? { status: 401, body: { message: '401 Unauthorized' } }
        : { status: 200, body: { id: userId, username: `user-${userId}` } satisfies Partial<ExpandedUserSchema> }
    }
    if (match('GET /api/v4/projects', request)) {
      const seen = projects.filter(({ members }) => members.includes(userId))
      return list(
        request,
        seen.map(({ id, name: path_with_namespace, branches }) => {
          const web_url = `${host.url}/${path_with_namespace}`
          const project = { id, path_with_namespace, web_url } satisfies Partial<SimpleProjectSchema>
          return { ...project, default_branch: branches[0] ?? null }
        }),
      )
    }
    const [, reference = '', rest = ''] = /^\/api\/v4\/projects\/([^/]+)(.*)$/.exec(request.path) ?? []
    const key = decodeURIComponent(reference).toLowerCase()
    const project = projects.find(({ id, name }) => String(id) === key || name.toLowerCase() === key)
    if (!project || !maySee(project, userId)) return notFound
    return inProject({ ...request, path: rest }, project, userId)
  }

  const commitOf = (id: string) =>
    ({
      id,
      message: `Change ${id}`,
      author_name: 'Ada',
      committed_date: '2026-01-02T03:04:05.000+00:00',
      web_url: `${host.url}/commit/${id}`,
    }) satisfies Partial<CommitSchema>

  const treeAt = ({ tree, trees }: ProjectAtB, ref: string | null) => (trees ? (trees[ref ?? ''] ?? {}) : (tree ?? {}))

  function commits(request: FakeRequest, { commits: all = [], heads = {} }: ProjectAtB): FakeAnswer {
    const brought = match('GET /repository/commits/:ref/merge_requests', request)
    if (brought) {
      const merged = mergeRequests.filter(
        ({ sha, state }) => sha === brought.ref && state === request.query.get('state'),
      )
      const shown = ({ iid }: { iid: number }) => ({
        title: `Request ${iid}`,
        author: { name: 'Ada' },
        web_url: `${host.url}/merge_requests/${iid}`,
      })
      return list(
        request,
        merged.map((one) => ({ ...one, ...shown(one) })),
      )
    }
    const one = match('GET /repository/commits/:ref', request)
    if (one) {
      const found = heads[one.ref ?? ''] ?? all.find((id) => id === one.ref)
      return found ? { status: 200, body: commitOf(found) } : { status: 404, body: { message: '404 Commit Not Found' } }
    }
    const [from = -1, to = -1] = (request.query.get('ref_name') ?? '').split('..').map((id) => all.indexOf(id))
    return list(
      request,
      all
        .slice(from + 1, to + 1)
        .toReversed()
        .map(commitOf),
    )
  }

  function file(request: FakeRequest, project: ProjectAtB): FakeAnswer {
    const files = treeAt(project, request.query.get('ref'))
    const path = decodeURIComponent(request.path.slice('/repository/files/'.length))
    const content = files[path]
    if (content === undefined || request.query.get('ref') === 'nowhere') {
      return { status: 404, body: { message: '404 File Not Found' } }
    }
    const headers = { 'x-gitlab-size': String(Buffer.byteLength(content)) }
    if (request.method === 'HEAD') return { status: 200, headers }
    const encoded = Buffer.from(content).toString('base64')
    return { status: 200, headers, body: { file_path: path, encoding: 'base64', content: encoded } }
  }

  function tree(request: FakeRequest, project: ProjectAtB): FakeAnswer {
    const files = treeAt(project, request.query.get('ref'))
    const path = request.query.get('path') ?? ''
    const below = path === '' ? '' : `${path}/`
    const inside = Object.keys(files).flatMap((one) => (one.startsWith(below) ? [one.slice(below.length)] : []))
    if (inside.length === 0 || request.query.get('ref') === 'nowhere') {
      return { status: 404, body: { message: '404 Tree Not Found' } }
    }
    const entries = [...new Set(inside.map((one) => one.split('/')[0] ?? ''))].map((name) => {
      const isFile = files[`${below}${name}`] !== undefined
      const kind = isFile ? { type: 'blob', mode: '100644' } : { type: 'tree', mode: '040000' }
      return { id: 'a'.repeat(40), name, path: `${below}${name}`, ...kind } satisfies RepositoryTreeSchema
    })
    return list(request, entries)
  }

  const invalid = (message: object): FakeAnswer => ({ status: 400, body: { message } })

  function deploy({ id: project, commits: known }: ProjectAtB, body: Record<string, unknown>): FakeAnswer {
    const { environment, sha, ref, tag, status } = body
    const missing = Object.entries({ environment, sha, ref, tag, status }).filter(([, value]) => value === undefined)
    if (missing.length > 0) {
      return { status: 400, body: { error: missing.map(([name]) => `${name} is missing`).join(', ') } }
    }
    const name = String(environment)
    if (!/^[\w/${}. -]{1,255}$/.test(name) || name.startsWith('/') || name.endsWith('/')) {
      return invalid({ name: ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, …"] })
    }
    if (known && !known.includes(String(sha))) return invalid({ sha: ['The commit does not exist'] })
    if (known && !known.includes(String(ref))) return invalid({ ref: ['The branch or tag does not exist'] })
    const made = { id: deployments.length + 1, project, sha: String(sha), ref: String(ref), status: String(status) }
    const there = environments.find((one) => one.project === project && one.name === name)
    const { id } = there ?? { id: environments.length + 1 }
    // A deployment to a stopped environment makes it available again.
    if (there) there.state = 'available'
    else environments.push({ id, project, name, state: 'available' })
    deployments.push({ ...made, environment: { id, name }, deployable: null, created_at: new Date().toISOString() })
    return { status: 201, body: deployments.at(-1) }
  }

  /** Handles requests for environments in a project. */
  function places(request: FakeRequest, project: ProjectAtB, userId: number): FakeAnswer {
    const { method, path } = request
    const asked = /^\/environments\/(\d+)(\/stop)?$/.exec(path)
    const environment = environments.find((one) => one.project === project.id && one.id === Number(asked?.[1]))
    if (!environment || (method === 'POST') !== (asked?.[2] !== undefined))
      return { status: 404, body: { message: '404 Not found' } }
    if (method === 'POST') {
      if (project.readers?.includes(userId)) return { status: 403, body: { message: '403 Forbidden' } }
      environment.state = 'stopped'
    }
    const { project: _, ...shown } = environment
    const last = deployments.findLast((one) => one.environment.id === environment.id)
    return { status: 200, body: { ...shown, last_deployment: last ?? null } }
  }

  /** Handles requests for deployments in a project. */
  function releases(request: FakeRequest, project: ProjectAtB, userId: number): FakeAnswer {
    const { body, query, method } = request
    if (method !== 'GET' && project.readers?.includes(userId))
      return { status: 403, body: { message: '403 Forbidden' } }
    if (match('POST /deployments', request)) return deploy(project, body)
    const ofProject = deployments.filter((one) => one.project === project.id)
    if (match('GET /deployments', request)) {
      const isThere = (one: DeploymentAtB) =>
        one.environment.name === (query.get('environment') ?? one.environment.name)
      const all = ofProject.filter(isThere)
      return list(request, query.get('sort') === 'desc' ? all.toReversed() : all)
    }
    const asked = match(`${method} /deployments/:id`, request)
    const deployment = ofProject.find(({ id }) => id === Number(asked?.id))
    if (!deployment) return { status: 404, body: { message: '404 Not found' } }
    if (method === 'GET') return { status: 200, body: deployment }
    const isRefused = deployment.status === body.status || body.status === 'running'
    if (isRefused) return invalid({ status: [`cannot transition to "${body.status}"`] })
    deployment.status = String(body.status)
    return { status: 200, body: deployment }
  }

  function inProject(request: FakeRequest, project: ProjectAtB, userId: number): FakeAnswer {
    const { path, body, query } = request
    if (path === '') {
      const { id, name: path_with_namespace, branches, visibility } = project
      const own = { id, path_with_namespace, visibility } satisfies Partial<ProjectSchema>
      const { visibility: _, ...forStrangers } = own
      const shown = userId === 0 ? forStrangers : own
      return { status: 200, body: { ...shown, default_branch: branches[0] ?? null } }
    }
    if (match('GET /repository/branches', request)) {
      return list(
        request,
        project.branches.map((name) => ({
          name,
          merged: false,
          commit: { id: project.heads?.[name] ?? 'a'.repeat(40) },
        })),
      )
    }
    if (match('GET /repository/tags', request)) {
      const { tags = [] } = project
      return list(
        request,
        tags.map((name) => ({ name, commit: { id: 'b'.repeat(40) } })),
      )
    }
    if (path.startsWith('/repository/commits')) return commits(request, project)
    if (path.startsWith('/repository/files/')) return file(request, project)
    if (match('GET /repository/tree', request)) return tree(request, project)
    if (match('GET /repository/compare', request)) {
      const compared: Some<RepositoryCompareSchema, 'compare_timeout'> = { compare_timeout: false }
      const dots = query.get('straight') === 'true' ? '..' : '...'
      const paths = project.comparisons?.[`${query.get('from')}${dots}${query.get('to')}`]
      return {
        status: 200,
        body: { ...compared, diffs: paths?.map((path) => ({ old_path: path, new_path: path })) ?? diffs },
      }
    }
    if (match('GET /merge_requests', request)) {
      const found = mergeRequests.filter(
        ({ source_branch, state }) => source_branch === query.get('source_branch') && state === query.get('state'),
      )
      return list(request, found)
    }
    if (userId === 0) return { status: 401, body: { message: '401 Unauthorized' } }
    if (path.startsWith('/deployments')) return releases(request, project, userId)
    if (path.startsWith('/environments')) return places(request, project, userId)
    const status = match('POST /statuses/:commit', request)
    if (status) {
      const before = statuses.findLast(({ commit, name }) => commit === status.commit && name === body.name)
      if (before?.state === body.state) {
        return {
          status: 400,
          body: {
            message: `Cannot transition status via :enqueue from :${body.state} (Reason(s): Status cannot transition via "enqueue")`,
          },
        }
      }
      statuses.push({ ...body, commit: status.commit ?? '' })
      return { status: 201, body: { id: statuses.length } }
    }
    const discussion = /^\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(path)
    if (!discussion) return notFound
    const iid = Number(discussion[1])
    if (request.method === 'GET')
      return list(
        request,
        notes.filter((note) => note.iid === iid),
      )
    if (request.method === 'POST') {
      notes.push({ id: notes.length + 1, iid, body: body.body, author: { id: userId } })
      return { status: 201, body: notes.at(-1) }
    }
    const note = notes.find(({ id }) => id === Number(discussion[2]))
    if (!note) return notFound
    note.body = body.body
    return { status: 200, body: note }
  }

  const host = await startFakeHost(answer, (request, response) => {
    const project = projects.find(({ name, git }) => git && request.url?.startsWith(`/${name}.git/`))
    if (!project?.git) return false
    const mayRead = (user: string, password: string) => {
      const userId = userOf(`Bearer ${password}`)
      return user === 'oauth2' && userId !== undefined && maySee(project, userId)
    }
    serveGit(request, response, {
      path: `/${project.name}.git`,
      repository: project.git,
      isPublic: project.visibility === 'public',
      mayRead,
    })
    return true
  })

  return {
    ...host,
    client,
    projects,
    statuses,
    notes,
    mergeRequests,
    diffs,
    deployments,
    environments,
    accessTokens,
    refreshTokens,
    setTokenLife: (seconds: number) => {
      tokenLifeSeconds = seconds
    },
    /** Simulates a person who authorizes the application. Returns the OAuth code. */
    agree(authorizeUrl: string, userId: number): string {
      const { searchParams } = new URL(authorizeUrl)
      const code = randomBytes(16).toString('hex')
      const challenge = searchParams.get('code_challenge') ?? ''
      codes.set(code, { challenge, callbackUrl: searchParams.get('redirect_uri') ?? '', userId })
      return code
    },
  }
}

export type FakeGitHostB = Awaited<ReturnType<typeof startFakeGitHostB>>
