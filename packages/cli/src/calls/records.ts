import { throwNeitherDeploymentNorRun } from '@sluice/calls/find'
import { isMissing } from '@sluice/calls/missing'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client, Operation } from '@sluice/client'
import { storeCompletionWords } from '../completion/remembered.ts'
import { connect, type UrlOption } from './connect.ts'
import { isField, readFields } from './fields.ts'
import { callOperation, operationNamed, readOperations, suggestionFor } from './operation.ts'
import { isComplete, type OutputOption } from './output.ts'
import { columns, printAnswer, printer, printList } from './print.ts'

type Page = { data: Record<string, unknown>[]; meta: { nextCursor?: string; totalCount?: number } }

/** Prints a record by its id, or a page of matching records. */
export async function get(what: string, words: string[], wishes: UrlOption & OutputOption): Promise<void> {
  const reads = readOperations.get(what)
  if (!reads) throw new UsageError(`There is no list of ${what}. ${suggestionFor(what, [...readOperations.keys()])}`)
  const [id, ...others] = words.filter((word) => !isField(word))
  if (others.length > 0)
    throw new UsageError(`${others.join(' ')} is too much: name one id, or filters such as status=SUCCESS.`)
  const client = connect(wishes)
  if (id !== undefined) return showOne(client, what, id, wishes)
  const page = (await callOperation(client, reads.list, readFields(words))) as Page
  storeCompletionWords(what, page.data)
  printList(page.data, wishes, { whole: page, columns, none: `There are no ${what} that match.` })
  const { nextCursor, totalCount } = page.meta
  if (nextCursor && !isComplete(wishes))
    process.stderr.write(`${page.data.length} of ${totalCount}. The next: cursor=${nextCursor}\n`)
}

async function showOne(client: Client, what: string, id: string, style: OutputOption): Promise<void> {
  const operation = readOperations.get(what)?.get
  if (operation === undefined) throw new UsageError(`${what} can be listed, but not shown one by one.`)
  printAnswer(dataOf(await callOperation(client, operation, new Map([['id', [id]]]))), style)
}

export async function api(operation: string, words: string[], wishes: UrlOption & OutputOption): Promise<void> {
  const known: Operation = operationNamed(operation)
  const answer = await callOperation(connect(wishes), known, readFields(words))
  if (answer !== undefined) printAnswer(dataOf(answer), wishes)
}

/** Unwraps a single record; a page keeps its `meta` with the cursor. */
const dataOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'data' in answer && !('meta' in answer) ? answer.data : answer

/** Cancels a deployment or, if the id is not a deployment's, a pipeline run. */
export async function cancel(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const request = { params: { id } }
  const { data } = await client.cancelDeployment(request).catch((error: unknown) => {
    if (isMissing(error))
      return client.cancelPipelineRun(request).catch((other) => throwNeitherDeploymentNorRun(id, other))
    throw error
  })
  const out = printer(wishes)
  out.say(data.status)
  out.record(data)
}

/** Prints the permissions of the key in the organization or in the given scope. */
export async function permissions(
  place: { projectId?: string; environmentId?: string },
  wishes: UrlOption & OutputOption,
): Promise<void> {
  const { data } = await connect(wishes).getPermissions({ query: place })
  printAnswer(data, wishes)
}
