import { readFileSync, writeFileSync } from 'node:fs'

// Extracts the operations that Sluice calls from GitHub's OpenAPI description, with an example of each response: `node
// scripts/describe-github.ts ghes-3.19.json`. The file comes from the npm package @octokit/openapi (MIT), which is too
// large (385 MB) for a dependency. The result describes GitHub for the test double.

const operations = [
  'GET /app',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
  'GET /user',
  'GET /user/installations',
  'GET /user/memberships/orgs/{org}',
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/branches',
  'GET /repos/{owner}/{repo}/tags',
  'GET /repos/{owner}/{repo}/contents/{path}',
  'GET /repos/{owner}/{repo}/compare/{basehead}',
  'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls',
  'POST /repos/{owner}/{repo}/statuses/{sha}',
  'GET /repos/{owner}/{repo}/deployments',
  'POST /repos/{owner}/{repo}/deployments',
  'GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses',
  'POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'POST /repos/{owner}/{repo}/check-runs',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
]

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const [, , file = ''] = process.argv
const description: Json = JSON.parse(readFileSync(file, 'utf8'))

function follow(path: string, root: Json = description): unknown {
  const steps = path.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step.replaceAll('~1', '/')] : undefined), root)
}

const resolved = (value: unknown): unknown =>
  isObject(value) && typeof value.$ref === 'string' ? resolved(follow(value.$ref)) : value

const kept = new Map<string, unknown>()

/** Returns a JSON Schema without descriptions. Referenced schemas are stored once in `$defs`. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (!isObject(schema)) return schema
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    if (!kept.has(name)) {
      kept.set(name, true)
      kept.set(name, plain(follow(schema.$ref)))
    }
    return { $ref: `#/$defs/${name}` }
  }
  const { nullable, description: _, example: __, examples: ___, title: ____, 'x-github': _____, ...rest } = schema
  const entries = Object.entries(rest).map(([name, part]) => {
    if (name !== 'properties' || !isObject(part)) return [name, name === 'enum' ? part : plain(part)]
    return [name, Object.fromEntries(Object.entries(part).map(([property, one]) => [property, plain(one)]))]
  })
  const made = Object.fromEntries(entries)
  return nullable === true ? { anyOf: [made, { type: 'null' }] } : made
}

const contentOf = (holder: unknown): Json => {
  const types = isObject(holder) && isObject(holder.content) ? holder.content : {}
  const content = types['application/json'] ?? Object.values(types)[0]
  return isObject(content) ? content : {}
}

function describe(operation: string): Json {
  const [method = '', path = ''] = operation.split(' ')
  const about = follow(`#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`)
  if (!isObject(about) || !isObject(about.responses)) throw new Error(`${operation} is not described`)
  const [status = '', response] = Object.entries(about.responses).find(([one]) => one.startsWith('2')) ?? []
  const answer = contentOf(resolved(response))
  const [example] = isObject(answer.examples) ? Object.values(answer.examples).map(resolved) : []
  const request = contentOf(resolved(about.requestBody)).schema
  const parameters = (Array.isArray(about.parameters) ? about.parameters : []).map(resolved).filter(isObject)
  const query = parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, plain(schema)])
  return {
    status: Number(status),
    query: Object.fromEntries(query),
    ...(request !== undefined && { request: plain(request) }),
    answer: plain(answer.schema),
    example: isObject(example) ? example.value : undefined,
  }
}

const described = Object.fromEntries(operations.map((operation) => [operation, describe(operation)]))
const about = follow('#/info')
const source = `GitHub's description of its interface, version ${isObject(about) ? about.version : ''}, MIT`
const target = new URL('../packages/server/src/git/adapter/fakes/githosta.model.json', import.meta.url)
writeFileSync(
  target,
  `${JSON.stringify({ source, operations: described, $defs: Object.fromEntries(kept) }, null, 1)}\n`,
)
