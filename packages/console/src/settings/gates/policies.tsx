import { Stack, Text } from '@mantine/core'
import { useMay } from '../../api/use-may.ts'
import { useWhole } from '../../api/use-pages.ts'
import { Answer } from '../../ui/answer.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { useNow } from '../../ui/time.tsx'
import { useLevels } from '../projects/use-levels.ts'
import { NewPolicy } from './policy-form.tsx'
import { PolicyRow } from './policy-row.tsx'

/** Manages policies. */
export const Policies = () => {
  const policies = useWhole('listPolicies', {})
  const { isAllowed, reason } = useMay('policies:write')
  const now = useNow(15_000)
  const levels = useLevels()
  return (
    <Section title="Policies" aside={<NewPolicy levels={levels} level={undefined} />}>
      <Stack>
        {!isAllowed && reason !== '' && <Text size="sm">You can’t manage policies here. {reason}</Text>}
        <Answer of={policies}>
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
        </Answer>
      </Stack>
    </Section>
  )
}
