import { Divider } from '@mantine/core'
import { followMs, useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { ApprovalRow } from './approval-row.tsx'

/** The steps of pipeline runs that wait until somebody decides. */
export const Approvals = () => {
  const waiting = useOperation(
    'listPipelineStepExecutions',
    { query: { status: ['PENDING_APPROVAL'], limit: 50 } },
    { refetchInterval: followMs },
  )
  return (
    <Section title="Approvals">
      <Answer of={waiting} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Notice title="No step waits for approval." />
          ) : (
            data.map((step, index) => (
              <div key={step.id}>
                {index > 0 && <Divider />}
                <ApprovalRow step={step} />
              </div>
            ))
          )
        }
      </Answer>
    </Section>
  )
}
