import { Table } from '@mantine/core'
import type { SlackAccount } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { slackAccountName } from '../../notifications/notification-labels.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Lists linked Slack accounts: members see their own, owners see all. */
export const SlackAccounts = () => {
  const accounts = useCompleteList('listSlackAccounts', {})
  return (
    <Section title="Linked Slack accounts">
      <QueryResult of={accounts}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="No linked accounts yet">
              In Slack channels with a signing secret, messages have buttons. Press a button, and Slack shows you a
              private link that links your account.
            </Notice>
          ) : (
            <DataTable label="Linked accounts" head={['Slack account', 'Member', 'Linked', '']} minWidth={600}>
              {all.map((one) => (
                <Row key={one.id} of={one} />
              ))}
            </DataTable>
          )
        }
      </QueryResult>
    </Section>
  )
}

const Row = ({ of }: { of: SlackAccount }) => {
  const { id, memberEmail, membershipId, createdAt } = of
  const isOwn = useOperation('whoami', {}).data?.data.membershipId === membershipId
  const unlink = useApiMutation(() => client.deleteSlackAccount({ params: { id } }), ['listSlackAccounts'])
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{slackAccountName(of)}</Table.Td>
      <Table.Td>{memberEmail}</Table.Td>
      <Table.Td>
        <TimeAgo at={createdAt} />
      </Table.Td>
      <Table.Td ta="end">
        {unlink.error && <ErrorPanel error={errorOf(unlink.error)} />}
        <ConfirmButton
          variant="subtle"
          color="red"
          size="xs"
          label="Unlink"
          ariaLabel={`Unlink ${slackAccountName(of)}`}
          question="Unlink this account?"
          loading={unlink.isPending}
          onConfirm={() => unlink.mutate(undefined)}
        >
          {isOwn ? 'You' : memberEmail} can’t approve or decide in Slack until the account is linked again.
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
