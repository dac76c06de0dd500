import { Alert, Code, Stack, Text } from '@mantine/core'
import type { Deployment, UserFacingError } from '@sluice/contract'
import { ErrorAction, ErrorDetails, ErrorReference } from '../../ui/error-panel.tsx'
import { IconAlertTriangle } from '../../ui/icons.tsx'
import { InReadersTime } from '../../ui/time.tsx'
import { describeFailure } from '../failure.ts'
import classes from './failure-panel.module.css'

type Props = { deployment: Deployment; error: UserFacingError; service: string }

/** Shows why a release failed, what is running now, and the last log lines. Other details are collapsed. */
export const FailurePanel = ({ deployment, error, service }: Props) => {
  const { headline, message, lastLines, container, rest } = describeFailure(deployment, error, service)
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={<InReadersTime sentence={headline} />}
      role="alert"
    >
      <Stack gap="xs">
        {message && (
          <Text size="sm">
            <InReadersTime sentence={message} />
          </Text>
        )}
        {lastLines.length > 0 && (
          <div>
            <Text size="sm" fw={600} mb={4}>
              {container ? `Last lines of ${container}` : 'Last log lines'}
            </Text>
            <Code block className={classes.lines} tabIndex={0}>
              {lastLines.join('\n')}
            </Code>
          </div>
        )}
        <ErrorAction error={error} />
        {(rest.length > 0 || error.description) && (
          <details className={classes.rest}>
            <summary>More details</summary>
            <Stack gap="xs">
              {error.description && <Text size="sm">{error.description}</Text>}
              <ErrorDetails details={rest} />
            </Stack>
          </details>
        )}
        <ErrorReference error={error} />
      </Stack>
    </Alert>
  )
}
