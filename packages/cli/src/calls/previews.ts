import type { PreviewEnvironment } from '@sluice/contract'
import { connect, type UrlOption } from './connect.ts'
import type { OutputOption } from './output.ts'
import { printer, printList } from './print.ts'

/** Prints the newest 100 preview environments. */
export async function listPreviews(
  wishes: UrlOption & OutputOption & { project?: string; gone?: true },
): Promise<void> {
  const { project, gone } = wishes
  const query = { includeDeleted: gone === true, limit: 100, ...(project !== undefined && { projectId: project }) }
  const answer = await connect(wishes).listPreviewEnvironments({ query })
  const columns = ['id', 'name', 'request', 'status', 'until', 'hours', 'resources', 'message']
  printList(answer.data, wishes, { whole: answer, columns, none: 'There are no preview environments.', toRow })
}

const toRow = ({
  givenId,
  pullRequest,
  expiresAt,
  upSeconds,
  resourceCount,
  message,
  ...rest
}: PreviewEnvironment) => ({
  ...rest,
  name: givenId,
  request: `#${pullRequest.number}`,
  until: expiresAt ?? '',
  hours: (upSeconds / 3_600).toFixed(1),
  resources: resourceCount,
  message: message ?? '',
})

/** Extends the lifetime of a preview environment. */
export async function extendPreview(
  id: string,
  { hours, ...wishes }: UrlOption & OutputOption & { hours: number },
): Promise<void> {
  const { data } = await connect(wishes).extendPreviewEnvironment({ params: { id }, body: { data: { hours } } })
  const out = printer(wishes)
  out.say(`${data.givenId} is kept until ${data.expiresAt}`)
  out.record(data)
}

export async function endPreview(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const { data } = await connect(wishes).endPreviewEnvironment({ params: { id } })
  const out = printer(wishes)
  out.say(`${data.givenId} is torn down`)
  out.record(data)
}

/** Retries a failed preview environment. */
export async function retryPreview(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const { data } = await connect(wishes).retryPreviewEnvironment({ params: { id } })
  const out = printer(wishes)
  out.say(`${data.givenId} is tried again`)
  out.record(data)
}
