import { Text } from '@mantine/core'
import classes from './traffic-split.module.css'

type Props = { title: string; newPercent: number }

/** Draws the traffic split between two versions. */
export const TrafficSplit = ({ title, newPercent }: Props) => {
  const oldPercent = 100 - newPercent
  return (
    <div>
      <Text size="sm" mb={4}>
        {title}: {oldPercent} % previous, {newPercent} % new
      </Text>
      <div className={classes.bar} aria-hidden>
        <div className={classes.share} style={{ width: `${oldPercent}%` }}>
          {oldPercent > 12 && `${oldPercent} %`}
        </div>
        <div className={`${classes.share} ${classes.new}`} style={{ width: `${newPercent}%` }}>
          {newPercent > 12 && `${newPercent} %`}
        </div>
      </div>
    </div>
  )
}
