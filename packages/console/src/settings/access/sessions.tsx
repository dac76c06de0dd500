import { Badge, Group, Table, Text } from '@mantine/core'
import type { Session } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TimeAgo } from '../../ui/time.tsx'
import { browserName } from './browser-name.ts'

/** Lists the member's sessions. */
export const Sessions = () => {
  const sessions = useCompleteList('listSessions', {})
  return (
    <Section title="Active sessions">
      <QueryResult of={sessions}>
        {(all) => (
          <DataTable label="Your sessions" head={['Browser', 'Address', 'Signed in', 'Last seen', '']} minWidth={680}>
            {all.map((session) => (
              <Row key={session.id} of={session} />
            ))}
          </DataTable>
        )}
      </QueryResult>
    </Section>
  )
}

const Row = ({ of: { id, userAgent, ipAddress, createdAt, lastUsedAt, isCurrent } }: { of: Session }) => {
  const end = useApiMutation(() => client.deleteSession({ params: { id } }), ['listSessions'])
  const browser = browserName(userAgent)
  return (
    <Table.Tr>
      <Table.Td title={userAgent}>
        <Group gap="xs">
          <Text size="sm">{browser}</Text>
          {isCurrent && <Badge variant="light">current session</Badge>}
        </Group>
      </Table.Td>
      <Table.Td>{ipAddress ?? '–'}</Table.Td>
      <Table.Td>
        <TimeAgo at={createdAt} />
      </Table.Td>
      <Table.Td>
        <TimeAgo at={lastUsedAt} />
      </Table.Td>
      <Table.Td ta="end">
        {end.error && <ErrorPanel error={errorOf(end.error)} />}
        {!isCurrent && (
          <ConfirmButton
            variant="subtle"
            color="red"
            size="xs"
            label="Revoke"
            ariaLabel={`Revoke the session of ${browser}`}
            question="Revoke this session?"
            loading={end.isPending}
            onConfirm={() => end.mutate(undefined)}
          >
            Anyone using that browser must sign in again.
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
