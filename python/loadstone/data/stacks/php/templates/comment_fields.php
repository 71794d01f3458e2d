<?php
/** Stars and text of a comment; rating 0 leaves the stars open. $text, $rating */
use function Olio\e;
?>
<fieldset class="rate">
<legend>Your rating</legend>
<div>
<?php /* From five to one, so that style sheets can light every star up to the chosen one. */ ?>
<?php foreach ([5, 4, 3, 2, 1] as $star): ?>
<input type="radio" name="rating" id="star-<?= $star ?>" value="<?= $star ?>"<?= $star === $rating ? ' checked' : '' ?> required><label for="star-<?= $star ?>">★<span class="unseen"><?= $star ?> of 5</span></label>
<?php endforeach ?>
</div>
</fieldset>
<div class="field">
<label for="f-comment">Your comment</label>
<textarea id="f-comment" name="comment" maxlength="2500" required>
<?= e($text) ?></textarea>
</div>
