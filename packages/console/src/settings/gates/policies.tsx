import { Stack, Text } from '@mantine/core'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { useNow } from '../../ui/time.tsx'
import { useLevels } from '../projects/use-levels.ts'
import { NewPolicy } from './policy-form.tsx'
import { PolicyRow } from './policy-row.tsx'

/** Manages policies. */
export const Policies = () => {
  const policies = useCompleteList('listPolicies', {})
  const { isAllowed, reason } = usePermission('policies:write')
  const now = useNow(15_000)
  const levels = useLevels()
  return (
    <Section title="Policies" aside={<NewPolicy levels={levels} level={undefined} />}>
      <Stack>
        {!isAllowed && reason !== '' && <Text size="sm">You can’t manage policies here. {reason}</Text>}
        <QueryResult of={policies}>
          {(all) => (
            <Rows
              of={all}
              empty={
                <Notice title="No policies here">
                  A policy checks releases, plans, or pipelines. For example, require that images come from your
                  registry, or that no plan deletes a database.
                </Notice>
              }
            >
              {(policy) => <PolicyRow policy={policy} now={now} />}
            </Rows>
          )}
        </QueryResult>
      </Stack>
    </Section>
  )
}
