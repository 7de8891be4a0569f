/** What a feature lets go of once its time is over; returns how many rows went. */
export type PurgeTask = { name: string; run(now: Date): Promise<number> }

/** One task failing must not keep the others from their work; the job is then tried again. */
export async function purgeAll(
  tasks: readonly PurgeTask[],
  now: Date,
  onPurged: (name: string, rows: number) => void,
): Promise<void> {
  const failures: unknown[] = []
  for (const task of tasks) {
    try {
      onPurged(task.name, await task.run(now))
    } catch (err) {
      failures.push(err)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some purge tasks failed')
}
