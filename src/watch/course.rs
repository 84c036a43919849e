//! What happens when. All state is here, in one thread; builds and eyes send it messages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::eyes::{Eyes, Notices, Trouble};
use super::inputs::{Dirty, Known, Look};
use super::places::Places;
use super::whole::{Models, is_model};
use super::work::{self, Done, Failures, Task};
use super::{Event, Message, Open, Options, Watch, disk};
use crate::cache::memo::{self, Stamp};
use crate::files::{self, Inputs};
use crate::manifest::{self, Manifest};
use crate::problem::{Problem, Problems};
use crate::run::{self, Cancel};

/// Between two looks at a file that is not whole.
const LOOK: Duration = Duration::from_millis(50);

/// After a build, before it is looked whether something changed within a tick of the clock ([`Stamp::can_tell`]).
const AGAIN: Duration = Duration::from_millis(150);

/// Watches until it is told to stop.
pub(super) fn run(watch: Watch, open: &mut Open, events: &(dyn Fn(Event) + Sync)) {
    let Watch { manifest, options, sender, receiver } = watch;
    let mut course = Course::new(&manifest, &options, events);
    course.open(open, &sender);
    std::thread::scope(|scope| {
        while !course.is_over() {
            if let Some(task) = course.next() {
                let (sender, options) = (sender.clone(), &options);
                scope.spawn(move || work::build(&task, options, &sender, events));
            }
            match receiver.recv_timeout(course.pause()) {
                Ok(message) => course.hear(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => course.stopping = true,
            }
            // All that is known is heard before something is decided.
            receiver.try_iter().for_each(|message| course.hear(message));
            course.sweep();
        }
    });
}

struct Course<'a> {
    file: &'a Path,
    options: &'a Options,
    events: &'a (dyn Fn(Event) + Sync),
    eyes: Option<Box<dyn Eyes>>,
    /// Whether some changes are not told.
    blind: bool,
    warned: bool,
    manifest: Option<Arc<Manifest>>,
    /// What was read of the manifest that changed.
    loaded: Option<Result<Manifest, Problems>>,
    /// The folder of templates that the manifest names, also where it is wrong otherwise: a template may be what is missing.
    templates: Option<PathBuf>,
    places: Places,
    watched: BTreeSet<PathBuf>,
    models: Models,
    known: BTreeMap<PathBuf, Known>,
    dirty: BTreeMap<PathBuf, Dirty>,
    begun: bool,
    building: Option<Arc<Cancel>>,
    failures: Failures,
    /// When to build once more, quietly.
    again: Option<Instant>,
    next_sweep: Instant,
    next_look: Instant,
    waiting: bool,
    stopping: bool,
}

impl<'a> Course<'a> {
    fn new(file: &'a Path, options: &'a Options, events: &'a (dyn Fn(Event) + Sync)) -> Self {
        Self {
            file,
            options,
            events,
            eyes: None,
            blind: options.poll,
            warned: false,
            manifest: None,
            loaded: None,
            templates: None,
            places: Places::default(),
            watched: BTreeSet::new(),
            models: Models::default(),
            known: BTreeMap::new(),
            dirty: BTreeMap::new(),
            begun: false,
            building: None,
            failures: Failures::new(),
            again: None,
            next_sweep: Instant::now(),
            next_look: Instant::now(),
            waiting: false,
            stopping: false,
        }
    }

    fn is_over(&self) -> bool {
        self.stopping && self.building.is_none()
    }

    fn tell(&self, event: Event) {
        (self.events)(event);
    }

    fn open(&mut self, open: &mut Open, sender: &Sender<Message>) {
        if self.options.poll {
            return;
        }
        match open(Notices(sender.clone())) {
            Ok(eyes) => self.eyes = Some(eyes),
            Err(trouble) => self.fail(&trouble),
        }
    }

    /// Something cannot be seen: files are asked for instead.
    fn fail(&mut self, trouble: &Trouble) {
        let Some(problem) = trouble.problem() else { return };
        self.blind = true;
        self.next_sweep = Instant::now();
        if !std::mem::replace(&mut self.warned, true) {
            self.tell(Event::Problem(&problem));
        }
    }

    fn hear(&mut self, message: Message) {
        match message {
            Message::Touched(paths) => {
                for told in paths {
                    if self.places.is_of_folders(&told) {
                        self.next_sweep = Instant::now();
                    }
                    self.places.meant(&told).iter().for_each(|path| self.touch(path, true));
                }
            }
            Message::Lost => {
                self.tell(Event::Rescan);
                self.next_sweep = Instant::now();
                // The same file may have been written twice within a tick.
                self.doubt();
            }
            Message::Failed(trouble) => self.fail(&trouble),
            Message::Built(done) => self.built(done),
            Message::Stop => {
                self.stopping = true;
                self.building.iter().for_each(|cancel| cancel.all());
            }
        }
    }

    /// Looks whether an input changed. `told`: an event says so.
    fn touch(&mut self, path: &Path, told: bool) {
        let stamp = Stamp::of(path).ok();
        let known = self.known.get(path);
        if stamp.is_none() && known.is_none_or(|known| known.stamp.is_none()) {
            // It came and is gone again: an editor's temporary file among templates.
            self.dirty.remove(path);
            return;
        }
        if let Some(dirty) = self.dirty.get_mut(path) {
            if dirty.stamp != stamp {
                (dirty.stamp, dirty.since) = (stamp, Instant::now());
                self.next_look = Instant::now();
            }
            return;
        }
        if known.and_then(|known| known.stamp) != stamp {
            self.dirty.insert(path.to_owned(), Dirty::new(stamp));
            self.next_look = Instant::now();
            self.building.iter().for_each(|cancel| cancel.changed(path));
        } else if told
            && let (Some(stamp), Some(known)) = (stamp, known)
            && !stamp.can_tell(known.at)
        {
            self.doubt();
        }
    }

    /// A build may have read something else than there is, though it looks the same.
    fn doubt(&mut self) {
        self.again = Some(Instant::now() + AGAIN);
    }

    /// Asks for all inputs, if it is time.
    fn sweep(&mut self) {
        let start = Instant::now();
        if start < self.next_sweep {
            return;
        }
        if self.places.have_moved() {
            self.find_folders();
        }
        self.places.all().iter().for_each(|path| self.touch(path, false));
        // A file that was there and is not listed any more is a template.
        let gone =
            self.known.iter().filter(|(path, known)| known.stamp.is_some() && self.places.is_template(path));
        let gone: Vec<PathBuf> = gone.map(|(path, _)| path.clone()).collect();
        gone.iter().for_each(|path| self.touch(path, false));
        let interval = if self.blind { self.options.times.poll } else { self.options.times.sweep };
        self.next_sweep = Instant::now() + interval.max(start.elapsed() * 100);
    }

    /// How long nothing has to be done.
    fn pause(&self) -> Duration {
        let mut next = self.next_sweep;
        if self.building.is_none() {
            next = self.again.map_or(next, |again| next.min(again));
            if !self.dirty.is_empty() {
                next = next.min(self.next_look);
            }
        }
        next.saturating_duration_since(Instant::now())
    }

    /// The next build, if it is time for one.
    fn next(&mut self) -> Option<Task> {
        if self.building.is_some() || self.stopping {
            return None;
        }
        let now = Instant::now();
        let mut quietly = None;
        if !self.begun {
            self.begin();
        } else if !self.dirty.is_empty() {
            if now < self.next_look || !self.is_whole() {
                return None;
            }
            let paths = self.take_dirty();
            self.tell(Event::Changed { paths: &paths });
        } else if self.again.is_some_and(|again| again <= now) {
            // What has not been told yet is not to be built quietly.
            self.next_sweep = now;
            self.sweep();
            if !self.dirty.is_empty() {
                return None;
            }
            quietly = Some(self.failures.clone());
        } else {
            self.wait();
            return None;
        }
        self.waiting &= quietly.is_some();
        self.again = None;
        if let Some(loaded) = self.loaded.take() {
            self.take_manifest(loaded);
        }
        let Some(manifest) = self.manifest.clone() else {
            self.wait();
            return None;
        };
        let cancel = Arc::new(Cancel::new());
        self.building = Some(cancel.clone());
        Some(Task { manifest, cancel, quietly })
    }

    fn wait(&mut self) {
        if !std::mem::replace(&mut self.waiting, true) {
            self.tell(Event::Waiting {
                files: self.places.all().len(),
                folders: self.watched.len(),
                polling: self.blind.then_some(self.options.times.poll),
            });
        }
    }

    /// What is known before the first build.
    fn begin(&mut self) {
        self.begun = true;
        self.places.set(BTreeSet::from([self.file.to_owned()]), None);
        self.know(self.file.to_owned());
        self.loaded = Some(self.load());
    }

    fn know(&mut self, path: PathBuf) {
        let known = Known { at: memo::now(), stamp: Stamp::of(&path).ok() };
        self.known.insert(path, known);
    }

    fn load(&mut self) -> Result<Manifest, Problems> {
        let inputs = Inputs::new();
        let text = files::read_text(&inputs, self.file)?;
        let mut manifest = manifest::load(&text, self.file)?;
        manifest.warnings.splice(0..0, inputs.take_warnings());
        self.templates.clone_from(&manifest.output.templates);
        run::check_names(&self.options.only, &manifest)?;
        run::check_targets(&manifest)?;
        Ok(manifest)
    }

    /// A manifest that is wrong is told, and nothing is built until it, or a template, changes.
    fn take_manifest(&mut self, loaded: Result<Manifest, Problems>) {
        match loaded {
            Ok(manifest) => {
                let mut inputs = self.places.inputs().clone();
                inputs.extend(sources(&manifest));
                self.manifest = Some(Arc::new(manifest));
                self.look_after(inputs);
            }
            Err(problems) => {
                problems.0.iter().for_each(|problem| self.tell(Event::Problem(problem)));
                self.manifest = None;
                self.look_after(self.places.inputs().clone());
            }
        }
    }

    /// Changes what is watched.
    fn look_after(&mut self, inputs: BTreeSet<PathBuf>) {
        if self.places.set(inputs, self.templates.clone()) || self.watched.is_empty() {
            self.find_folders();
        }
        for path in self.places.all() {
            if !self.known.contains_key(&path) && !self.dirty.contains_key(&path) {
                self.know(path);
            }
        }
    }

    fn find_folders(&mut self) {
        self.places.find();
        let Some(mut eyes) = self.eyes.take() else { return };
        // All of them: one of the same name may be another one.
        let wanted: BTreeSet<PathBuf> = self.places.folders().keys().cloned().collect();
        for folder in std::mem::take(&mut self.watched).difference(&wanted) {
            eyes.unwatch(folder);
        }
        for folder in &wanted {
            match eyes.watch(folder) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                }
                Err(trouble) => self.fail(&trouble),
            }
        }
        self.eyes = Some(eyes);
        if !self.blind
            && let Some((folder, disk)) = wanted.iter().find_map(|f| disk::silent(f).map(|disk| (f, disk)))
        {
            let message = format!(
                "{disk} does not tell of every change: files are looked at every {} s",
                self.options.times.poll.as_secs_f64()
            );
            self.blind = true;
            self.tell(Event::Problem(&Problem::note("watch::polling", message).in_file(folder)));
        }
    }

    /// Whether all that changed is written to its end, or will never be.
    fn is_whole(&mut self) -> bool {
        let paths: Vec<PathBuf> = self.dirty.keys().cloned().collect();
        paths.iter().for_each(|path| self.touch(path, false));
        let now = Instant::now();
        let mut whole = true;
        let mut wake = now + LOOK;
        for path in &paths {
            let Some(age) = self.dirty.get(path).map(|dirty| now.saturating_duration_since(dirty.since))
            else {
                continue;
            };
            match self.look(path, age) {
                Look::Whole => {}
                Look::Quiet(rest) => {
                    whole = false;
                    wake = wake.min(now + rest);
                }
                Look::Broken(_) if age >= self.options.times.patience => {}
                Look::Broken(why) => {
                    whole = false;
                    if self.dirty.get_mut(path).is_some_and(|dirty| dirty.is_to_tell(now)) {
                        self.tell(Event::Unfinished { path, why: &why });
                    }
                }
            }
        }
        self.next_look = wake;
        // What was looked at may be newer than what was asked for before.
        paths.iter().for_each(|path| self.touch(path, false));
        whole &= self.dirty.values().all(|dirty| dirty.since <= now);
        whole && self.is_manifest_ready(now)
    }

    fn look(&mut self, path: &Path, age: Duration) -> Look {
        let Some(stamp) = self.dirty.get(path).and_then(|dirty| dirty.stamp) else {
            return Look::Broken("it is not there".to_owned());
        };
        if is_model(path) {
            return self.models.look(path).map_or_else(Look::Broken, |()| Look::Whole);
        }
        let is_text = path == self.file || self.places.is_template(path);
        if !is_text {
            let models = self.places.inputs().iter().filter(|input| is_model(input));
            if let Some(look) = self.models.look_at_users(path, models) {
                return look.map_or_else(Look::Broken, |()| Look::Whole);
            }
        }
        // Of other files nobody knows where they end.
        let quiet = self.options.times.quiet * if is_text { 1 } else { 10 };
        match quiet.checked_sub(age) {
            _ if stamp.len == 0 => Look::Broken("it is empty".to_owned()),
            Some(rest) if !rest.is_zero() => Look::Quiet(rest),
            _ => Look::Whole,
        }
    }

    /// Reads the manifest, if it changed. One that is wrong may still be in the editor's hands.
    fn is_manifest_ready(&mut self, now: Instant) -> bool {
        let changed = self.dirty.get(self.file).map(|dirty| now.saturating_duration_since(dirty.since));
        let templates = self.dirty.keys().any(|path| self.places.is_template(path));
        if changed.is_none() && !templates && self.manifest.is_some() {
            return true;
        }
        let loaded = self.load();
        let wait = loaded.is_err() && changed.is_some_and(|age| age < self.options.times.quiet * 15);
        self.loaded = (!wait).then_some(loaded);
        !wait
    }

    /// From here on the next build counts as having read them.
    fn take_dirty(&mut self) -> Vec<PathBuf> {
        let at = memo::now();
        let dirty = std::mem::take(&mut self.dirty);
        let taken = |(path, Dirty { stamp, .. })| {
            self.known.insert(PathBuf::clone(&path), Known { stamp, at });
            path
        };
        dirty.into_iter().map(taken).collect()
    }

    fn built(&mut self, done: Option<Box<Done>>) {
        self.building = None;
        let Some(done) = done else {
            // It panicked, and the panic goes on where its thread is waited for.
            self.stopping = true;
            return;
        };
        let Done { outcome, change, failures, began } = *done;
        if !change.files.is_empty() {
            self.tell(Event::Published(&change));
            self.waiting = false;
            self.doubt();
        }
        self.failures = failures;
        let mut inputs: BTreeSet<PathBuf> = outcome.inputs.into_iter().collect();
        inputs.insert(self.file.to_owned());
        inputs.extend(self.manifest.iter().flat_map(|manifest| sources(manifest)));
        if outcome.abandoned > 0 {
            // Also if the file that changed is as it was again.
            self.doubt();
        }
        if outcome.failed + outcome.abandoned > 0 {
            // What a character needs that was not read to its end is not known.
            inputs.extend(self.places.inputs().iter().cloned());
        }
        let new: Vec<PathBuf> =
            inputs.iter().filter(|path| !self.known.contains_key(*path)).cloned().collect();
        self.look_after(inputs);
        let places = &self.places;
        self.known.retain(|path, _| places.inputs().contains(path) || places.is_template(path));
        for path in new {
            // Nobody watched it while it was read.
            let young = self.known.get(&path).and_then(|known| known.stamp).filter(|s| s.modified >= began);
            if let Some(stamp) = young {
                self.dirty.insert(path, Dirty::new(Some(stamp)));
            }
        }
    }
}

/// The models that a manifest names.
fn sources(manifest: &Manifest) -> impl Iterator<Item = PathBuf> {
    manifest.recipes.iter().flat_map(|recipe| {
        let clips = recipe.clips.iter().filter_map(|clip| clip.source.clone());
        std::iter::once(recipe.source.clone()).chain(clips)
    })
}
