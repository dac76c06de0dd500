import { Alert, Anchor, List, Stack, Text } from '@mantine/core'
import type { AppliedFiles, FilesSource } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { TimeAgo } from '../ui/time.tsx'

type Props = { projectId: string; recordId: string }

/** That a record stands in files, and what of it was changed otherwise since they were applied. */
export const ManagedByFiles = ({ projectId, recordId }: Props) => {
  const { data } = useOperation('getAppliedFiles', { params: { id: projectId }, query: { recordId } })
  return data && <Managed of={data.data} />
}

/** The same of what was read. */
export const Managed = ({ of: { appliedAt, appliedBy, source, records } }: { of: AppliedFiles }) => {
  const [record] = records
  if (!record || appliedAt === undefined) return null
  const applied = (
    <>
      Managed by files as {record.name}; {appliedBy} applied them <TimeAgo at={appliedAt} />
      {source && <AtCommit of={source} />}.
    </>
  )
  if (record.changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {applied} Change it there: what is changed here is taken back when they are applied again.
      </Text>
    )
  }
  return (
    <Alert color="yellow" title="Changed by hand since its files were applied">
      <Stack gap="xs">
        <List size="sm">
          {record.changes.map(({ at, by, fields }) => (
            <List.Item key={`${at} ${by}`}>
              {fields.join(', ')}: {by}, <TimeAgo at={at} />
            </List.Item>
          ))}
        </List>
        <Text size="sm">
          {applied} sluice plan shows what differs; sluice apply takes back what the files say otherwise.
        </Text>
      </Stack>
    </Alert>
  )
}

const AtCommit = ({ of: { commit, url } }: { of: FilesSource }) => {
  const short = commit.slice(0, 10)
  if (url === undefined) return ` at ${short}`
  return (
    <>
      {' at '}
      <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
        {short}
      </Anchor>
    </>
  )
}
