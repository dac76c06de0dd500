import { Code } from '@mantine/core'
import type { AuditEvent } from '@sluice/contract'

/** Shows values before and after a change. */
export const ChangedValues = ({ before, details }: Pick<AuditEvent, 'before' | 'details'>) => (
  <>
    <Values label="Before" of={before} />
    <Values label={before && 'After'} of={details} />
  </>
)

const Values = ({ label, of }: { label?: string | undefined; of: AuditEvent['details'] }) =>
  of !== undefined &&
  Object.keys(of).length > 0 && (
    <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
      {label && `${label}: `}
      {JSON.stringify(of)}
    </Code>
  )
