import { Code, Stack, Text } from '@mantine/core'
import { Facts } from '../ui/facts.tsx'

/** Returns the outputs of an apply by name. The server omits sensitive ones. */
export const outputsOf = (outputData: Record<string, unknown> | undefined): Readonly<Record<string, unknown>> =>
  (outputData?.outputs ?? {}) as Record<string, unknown>

/** Lists the outputs of a stack. */
export const Outputs = ({ outputs }: { outputs: Readonly<Record<string, unknown>> }) => {
  const facts = Object.entries(outputs).map(([name, value]) => [name, <Output key={name} value={value} />] as const)
  return (
    <Stack gap="sm">
      <Facts facts={Object.fromEntries(facts)} />
      <Text size="sm" c="dimmed">
        Sensitive outputs are never shown.
      </Text>
    </Stack>
  )
}

const Output = ({ value }: { value: unknown }) => (
  <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
    {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
  </Code>
)
