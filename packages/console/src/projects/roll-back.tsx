import { Modal, Select } from '@mantine/core'
import type { Deployment, ServiceInEnvironment } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { RollBackDialog } from '../deployments/roll-back-dialog.tsx'
import { useRollback } from '../deployments/use-rollback.ts'
import { Notice } from '../ui/notice.tsx'
import { QueryResult } from '../ui/query-result.tsx'

type Props = { place: ServiceInEnvironment; onClose: () => void }

/** Rolls a service back to an earlier release after showing what changes. */
const RollBack = ({ place: { moduleInstanceId, running, name }, onClose }: Props) => {
  const succeeded = useOperation('listDeployments', {
    query: { moduleInstanceId, status: ['SUCCESS'], limit: 20 },
  })
  const rollback = useRollback(running?.deploymentId)
  const live = succeeded.data?.data.find(({ id }) => id === running?.deploymentId)
  const earlier = succeeded.data?.data.filter(({ id }) => rollback?.targets.includes(id)) ?? []
  if (live && earlier.length > 0) return <Choice live={live} earlier={earlier} onClose={onClose} />
  return (
    <Modal opened onClose={onClose} title={`Roll back ${name}`}>
      <QueryResult of={succeeded} lines={3}>
        {() => rollback && <Notice title="Nothing to roll back to">No earlier release succeeded.</Notice>}
      </QueryResult>
    </Modal>
  )
}
export default RollBack

type Releases = { live: Deployment; earlier: readonly Deployment[]; onClose: () => void }

/** Selects the target release; defaults to the previous one. */
const Choice = ({ live, earlier, onClose }: Releases) => {
  const [chosen, choose] = useState(earlier[0]?.id)
  const to = earlier.find(({ id }) => id === chosen)
  if (!to) return null
  const data = earlier.map((one) => ({ value: one.id, label: labelOf(one) }))
  return (
    <RollBackDialog live={live} to={to} isOpen onClose={onClose}>
      {earlier.length > 1 && (
        <Select
          label="Target release"
          data={data}
          value={to.id}
          allowDeselect={false}
          onChange={(id) => choose(id ?? undefined)}
        />
      )}
    </RollBackDialog>
  )
}

const labelOf = ({ data, createdAt, description }: Deployment): string =>
  [versionOf(releaseMarksOf(data)) ?? 'a release', new Date(createdAt).toLocaleString(), description]
    .filter(Boolean)
    .join(' · ')
