import { findModuleInstance } from '@sluice/calls/find'
import type { Artifact } from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import type { Style } from './output.ts'
import { printList } from './print.ts'

/** Shows what builds have made of a module instance: the newest 100. */
export async function listArtifacts(instance: string, wishes: Where & Style): Promise<void> {
  const client = connect(wishes)
  const { id: moduleInstanceId } = await findModuleInstance(client, instance)
  const answer = await client.listArtifacts({ query: { moduleInstanceId, limit: 100 } })
  const columns = ['id', 'built', 'commit', 'bytes', 'location']
  printList(answer.data, wishes, { whole: answer, columns, none: `Nothing was built of ${instance} yet.`, toRow })
}

const toRow = ({ id, createdAt, commit = '', sizeBytes, location }: Artifact) => ({
  id,
  built: createdAt,
  commit: commit.slice(0, 12),
  bytes: sizeBytes,
  location,
})
