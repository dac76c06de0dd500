import { Group, Select, Stack, Table, Text } from '@mantine/core'
import type { PipelineVersion } from '@sluice/contract'
import { useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { formatConfig } from '../config-editor/config-text.ts'
import { TextDiff } from '../config-editor/text-diff.tsx'
import { policyOutcome } from '../policies/policy-labels.ts'
import { PolicyVerdicts } from '../policies/policy-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { ApprovalList, VersionApproval } from './version-approval.tsx'

type Props = { pipelineId: string; versions: readonly PipelineVersion[] }

/** Lists the versions of a pipeline, newest first, and compares any two. */
export default function Versions({ pipelineId, versions }: Props) {
  const members = useCompleteList('listMemberships', {})
  const accounts = useCompleteList('listServiceAccounts', {})
  const judged = useOperation('listPipelineVersions', {
    query: { pipelineId, limit: 100, include: ['policies', 'approval'] },
  })
  const approvalOf = (id: string) => judged.data?.included?.approval?.[id]
  const awaited = versions.filter(({ id }) => approvalOf(id)?.isPending)
  const verdictsOf = (id: string) => judged.data?.included?.policies?.[id] ?? []
  const isJudged = versions.some(({ id }) => verdictsOf(id).some((one) => policyOutcome(one) !== undefined))
  const [newerId, setNewer] = useState(versions[0]?.id)
  const [olderId, setOlder] = useState((versions[1] ?? versions[0])?.id)
  const newer = versions.find(({ id }) => id === newerId)
  const older = versions.find(({ id }) => id === olderId)
  const nameOf = (id: string | undefined): string => {
    const member = members.data?.find((one) => one.id === id)
    return member?.fullName ?? member?.email ?? accounts.data?.find((one) => one.id === id)?.name ?? '–'
  }
  const choices = versions.map(({ id, version }) => ({ value: id, label: `Version ${version}` }))
  if (versions.length === 0) {
    return <Notice title="No versions yet">Write the first version under Configuration.</Notice>
  }
  return (
    <Stack gap="lg">
      {awaited.map(({ id, version }) => (
        <VersionApproval key={id} id={id} version={version} />
      ))}
      <Section title="History">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>By</Table.Th>
              {isJudged && <Table.Th>Policies</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.map(({ id, version, createdAt, createdById }) => (
              <Table.Tr key={id}>
                <Table.Td>{version}</Table.Td>
                <Table.Td>
                  <TimeAgo at={createdAt} />
                </Table.Td>
                <Table.Td>{nameOf(createdById)}</Table.Td>
                {isJudged && (
                  <Table.Td>
                    <PolicyVerdicts verdicts={verdictsOf(id)} />
                    <ApprovalList approvals={approvalOf(id)?.approvals ?? []} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Section>
      <Section title="Compare">
        <Stack gap="sm">
          <Group gap="sm">
            <Select
              label="From"
              w={140}
              allowDeselect={false}
              data={choices}
              value={olderId ?? null}
              onChange={(id) => setOlder(id ?? undefined)}
            />
            <Select
              label="To"
              w={140}
              allowDeselect={false}
              data={choices}
              value={newerId ?? null}
              onChange={(id) => setNewer(id ?? undefined)}
            />
          </Group>
          {older && newer && older.id !== newer.id ? (
            <TextDiff
              key={`${older.id} ${newer.id}`}
              before={formatConfig(older.config)}
              after={formatConfig(newer.config)}
            />
          ) : (
            <Text c="dimmed">Select two versions to compare them.</Text>
          )}
        </Stack>
      </Section>
    </Stack>
  )
}
