import { Button, Code, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { PipelineStepExecution } from '@sluice/contract'
import { followMs, useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'

/** What a step wrote, on demand. */
export const StepLog = ({ step }: { step: PipelineStepExecution }) => {
  const [isOpen, { toggle }] = useDisclosure(false)
  return (
    <div>
      <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={isOpen}>
        {isOpen ? 'Hide the log' : 'Show the log'}
      </Button>
      {isOpen && <Lines step={step} />}
    </div>
  )
}

const Lines = ({ step: { id, status } }: { step: PipelineStepExecution }) => {
  const log = useOperation(
    'getPipelineStepExecutionLogs',
    { params: { id }, query: { limit: 100 } },
    { refetchInterval: status === 'IN_PROGRESS' ? followMs : false },
  )
  return (
    <Answer of={log} lines={2}>
      {({ data }) => (
        <ScrollArea.Autosize mah={360} mt="xs">
          <Code block>{data.map(({ text }) => text).join('') || 'Nothing was written.'}</Code>
        </ScrollArea.Autosize>
      )}
    </Answer>
  )
}
