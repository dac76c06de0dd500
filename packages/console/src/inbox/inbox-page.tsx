import { Button, Stack, Text } from '@mantine/core'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { Rows } from '../ui/tables/rows.tsx'
import { ItemRow } from './item-row.tsx'

/** Shows what waits for the member, and failures since they last marked them as read. */
export const InboxPage = () => {
  const inbox = useOperation('getInbox', {})
  const see = useApiMutation((seenUntil: string) => client.updateInbox({ body: { data: { seenUntil } } }), ['getInbox'])
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle title="Inbox" />
      <QueryResult of={inbox}>
        {({ data: { waiting, failed, readAt } }) => (
          <>
            <Section title="Waiting for you">
              <Rows of={waiting} empty={<Text c="dimmed">Nothing is waiting for you.</Text>}>
                {(item) => <ItemRow item={item} />}
              </Rows>
            </Section>
            <Section
              title="Failures since your last visit"
              aside={
                failed.length > 0 && (
                  <Button size="xs" variant="default" loading={see.isPending} onClick={() => see.mutate(readAt)}>
                    Mark as read
                  </Button>
                )
              }
            >
              {see.error && <ErrorPanel error={errorOf(see.error)} />}
              <Rows of={failed} empty={<Text c="dimmed">No new failures.</Text>}>
                {(item) => <ItemRow item={item} />}
              </Rows>
            </Section>
          </>
        )}
      </QueryResult>
    </Stack>
  )
}
