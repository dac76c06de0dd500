import {
  type ApiErrorEntry,
  type ApiErrorKey,
  apiErrors,
  errorsOf,
  type Route,
  routes,
  UserFacingError,
} from '@sluice/contract'
import { Compile, type Validator } from 'typebox/compile'
import type { TestResponse } from './client.ts'

const all: readonly Route[] = Object.values(routes)
const operations = all.map((route) => ({
  route,
  path: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  reply: Compile(route.response[1]),
}))
const errorBody = Compile(UserFacingError)

/** Throws unless the contract allows the response: its status, every property of its body, and its error. */
export function expectConformity(method: string, path: string, answer: TestResponse): void {
  const [pathname = ''] = path.split('?', 1)
  const operation = operations.find(({ route, path }) => route.method === method && path.test(pathname))
  const faults =
    operation && answer.status < 400
      ? [
          ...statusFaults(operation.route, answer),
          ...(isTable(operation.route, answer) || isEmpty(answer) ? [] : bodyFaults(operation.reply, answer.body)),
        ]
      : errorFaults(operation?.route, answer)
  if (faults.length === 0) return
  const seen = JSON.stringify(answer.body, null, 2)
  throw new Error(`${method} ${path} answered ${answer.status} against the contract:\n${faults.join('\n')}\n${seen}`)
}

const isTable = ({ asCsv }: Route, { headers }: TestResponse): boolean =>
  asCsv === true && headers.get('content-type') === 'text/csv; charset=utf-8'

const isEmpty = ({ status, body }: TestResponse): boolean => status === 204 && body === undefined

const statusFaults = ({ response, otherStatuses = [] }: Route, { status }: TestResponse): string[] =>
  [response[0], ...otherStatuses].includes(status) ? [] : [`the status should be ${response[0]}`]

const bodyFaults = (validator: Validator, body: unknown): string[] =>
  validator.Check(body) ? [] : validator.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`)

function errorFaults(route: Route | undefined, { status, headers, body }: TestResponse): string[] {
  const faults = bodyFaults(errorBody, body)
  if (faults.length > 0) return faults
  const { code, requestId } = body as UserFacingError
  if (requestId === undefined || requestId !== headers.get('x-request-id'))
    return ['the request id is not in both places']
  const [key, entry] = entryOf(code) ?? []
  if (key === undefined || entry?.status !== status) return [`the catalogue does not know ${code} with this status`]
  const undeclared = route && !errorsOf(route).includes(key)
  return undeclared ? [`${route.operationId} does not declare ${key}`] : []
}

const entryOf = (code: string): [ApiErrorKey, ApiErrorEntry] | undefined =>
  (Object.entries(apiErrors) as [ApiErrorKey, ApiErrorEntry][]).find(([, entry]) => entry.code === code)
