import { Card } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './linked-card.module.css'

/** A card whose one link, marked with `data-card`, is as large as itself; the arrow keys go from one to the next. */
export const LinkedCard = ({ children }: { children: ReactNode }) => (
  <Card withBorder padding="md" className={classes.card}>
    {children}
  </Card>
)
