import { Stack, Text, VisuallyHidden } from '@mantine/core'
import classes from './difference-list.module.css'
import type { Difference } from './differences.ts'

/** Lists changed values by name. */
export const DifferenceList = ({ differences }: { differences: readonly Difference[] }) => (
  <Stack gap="sm">
    {differences.map(({ path, before, after }) => (
      <div key={path}>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Text>
        {before !== undefined && <Side mark="−" name="before" value={before} className={classes.before} />}
        {after !== undefined && <Side mark="+" name="after" value={after} className={classes.after} />}
      </div>
    ))}
  </Stack>
)

type SideProps = { mark: string; name: string; value: unknown; className: string | undefined }

const Side = ({ mark, name, value, className }: SideProps) => (
  <div className={`${classes.side} ${className}`}>
    <span aria-hidden>{mark}</span>
    <VisuallyHidden>{name}:</VisuallyHidden>
    <span>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</span>
  </div>
)
