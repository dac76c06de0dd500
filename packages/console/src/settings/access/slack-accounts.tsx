import { Table } from '@mantine/core'
import type { SlackAccount } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useWhole } from '../../api/use-pages.ts'
import { slackNameOf } from '../../notifications/words.ts'
import { Answer } from '../../ui/answer.tsx'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Who of the members somebody is at Slack: people see themselves there, owners everybody. */
export const SlackAccounts = () => {
  const accounts = useWhole('listSlackAccounts', {})
  return (
    <Section title="Linked accounts at Slack">
      <Answer of={accounts}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="No account is linked">
              Messages of a Slack channel that has the signing secret of its app have buttons. Press one, and Slack
              shows you alone a link by which you say who you are here.
            </Notice>
          ) : (
            <DataTable label="Linked accounts" head={['At Slack', 'Member', 'Linked', '']} minWidth={600}>
              {all.map((one) => (
                <Row key={one.id} of={one} />
              ))}
            </DataTable>
          )
        }
      </Answer>
    </Section>
  )
}

const Row = ({ of }: { of: SlackAccount }) => {
  const { id, memberEmail, membershipId, createdAt } = of
  const isOwn = useOperation('whoami', {}).data?.data.membershipId === membershipId
  const unlink = useChange(() => client.deleteSlackAccount({ params: { id } }), ['listSlackAccounts'])
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{slackNameOf(of)}</Table.Td>
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
          ariaLabel={`Unlink ${slackNameOf(of)}`}
          question="Unlink this account?"
          loading={unlink.isPending}
          onConfirm={() => unlink.mutate(undefined)}
        >
          {isOwn ? 'You decide' : `${memberEmail} decides`} nothing in Slack any more, until it is linked again.
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
