import { findModuleInstance } from '@sluice/calls/find'
import type { Artifact } from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import { printAnswer, printTable, type Style } from './print.ts'

/** Shows what builds have made of a module instance: the newest 100. */
export async function listArtifacts(instance: string, wishes: Where & Style): Promise<void> {
  const client = connect(wishes)
  const { id: moduleInstanceId } = await findModuleInstance(client, instance)
  const answer = await client.listArtifacts({ query: { moduleInstanceId, limit: 100 } })
  if (wishes.json) return printAnswer(answer, wishes)
  if (answer.data.length === 0) return void process.stderr.write(`Nothing was built of ${instance} yet.\n`)
  printTable(answer.data.map(toRow), ['id', 'built', 'commit', 'bytes', 'location'])
}

const toRow = ({ id, createdAt, commit = '', sizeBytes, location }: Artifact) => ({
  id,
  built: createdAt,
  commit: commit.slice(0, 12),
  bytes: sizeBytes,
  location,
})
