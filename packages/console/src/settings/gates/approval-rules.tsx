import { Stack, Text } from '@mantine/core'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { useLevels } from '../projects/use-levels.ts'
import { NewApprovalRule } from './approval-rule-form.tsx'
import { ApprovalRuleRow } from './approval-rule-row.tsx'
import { Delegations } from './delegations.tsx'

/** Manages approval rules. */
export const ApprovalRules = () => {
  const rules = useCompleteList('listApprovalRules', {})
  const teams = useCompleteList('listTeams', {}).data ?? []
  const { isAllowed, reason } = usePermission('approval-rules:write')
  const levels = useLevels()
  return (
    <>
      <Section title="Approval rules" aside={<NewApprovalRule levels={levels} level={undefined} teams={teams} />}>
        <Stack>
          {!isAllowed && reason !== '' && <Text size="sm">You can’t manage approval rules here. {reason}</Text>}
          <QueryResult of={rules}>
            {(all) => (
              <Rows
                of={all}
                empty={
                  <Notice title="No approval rules here">
                    An approval rule makes releases wait until enough people approve them.
                  </Notice>
                }
              >
                {(rule) => <ApprovalRuleRow rule={rule} teams={teams} />}
              </Rows>
            )}
          </QueryResult>
        </Stack>
      </Section>
      <Delegations />
    </>
  )
}
